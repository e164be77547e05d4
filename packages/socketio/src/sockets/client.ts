import type { Namespace } from './namespace.ts'
import type { AttachmentReader } from './packet.ts'
import type { Socket } from './socket.ts'

/** The Socket.IO state of a connection: its sockets by namespace, and a packet that waits for attachments. */
export class Client<Data> {
  #main: Socket<Data> | undefined
  #others: Map<string, Socket<Data>> | undefined
  /** Namespaces whose `onConnect` has not decided yet. */
  connecting: Set<string> | undefined
  attachments: AttachmentReader | undefined

  constructor() {
    this.#main = undefined
    this.#others = undefined
    this.connecting = undefined
    this.attachments = undefined
  }

  get(namespace: string): Socket<Data> | undefined {
    return namespace === '/' ? this.#main : this.#others?.get(namespace)
  }

  set(socket: Socket<Data>): void {
    if (socket.namespace.name === '/') this.#main = socket
    else {
      this.#others ??= new Map()
      this.#others.set(socket.namespace.name, socket)
    }
  }

  left(namespace: Namespace<Data>): void {
    if (namespace.name === '/') this.#main = undefined
    else this.#others?.delete(namespace.name)
  }

  get isEmpty(): boolean {
    return this.#main === undefined && (this.#others?.size ?? 0) === 0
  }

  *sockets(): Generator<Socket<Data>> {
    if (this.#main !== undefined) yield this.#main
    if (this.#others !== undefined) yield* this.#others.values()
  }
}
