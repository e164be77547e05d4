import type { AttachmentReader } from './packet.ts'

/** The Socket.IO state of a connection: its sockets by namespace, and a packet waiting for attachments. */
export class Client<S extends { readonly namespace: { readonly name: string } }> {
  #main: S | undefined
  #others: Map<string, S> | undefined
  /** Namespaces whose `onConnect` is pending. */
  connecting: Set<string> | undefined
  attachments: AttachmentReader | undefined

  get(namespace: string): S | undefined {
    return namespace === '/' ? this.#main : this.#others?.get(namespace)
  }

  set(socket: S): void {
    if (socket.namespace.name === '/') this.#main = socket
    else {
      this.#others ??= new Map()
      this.#others.set(socket.namespace.name, socket)
    }
  }

  left(namespace: { readonly name: string }): void {
    if (namespace.name === '/') this.#main = undefined
    else this.#others?.delete(namespace.name)
  }

  get isEmpty(): boolean {
    return this.#main === undefined && (this.#others?.size ?? 0) === 0
  }

  *sockets(): Generator<S> {
    if (this.#main !== undefined) yield this.#main
    if (this.#others !== undefined) yield* this.#others.values()
  }
}
