import { type Packet, PacketType } from 'socket.io-parser'
import type { PacketCodec } from './packet.ts'
import type { Ack, ClientConnection, NamespaceOptions, SharedHandler, Socket } from './socket.ts'
import type { Codec, Topics } from './topics.ts'

/** Refuses a socket in `onConnect`: the client gets a connect_error with this message and data. */
export class ConnectError extends Error {
  readonly data: unknown
  constructor(message: string, data?: unknown) {
    super(message)
    this.data = data
  }
}

export class Namespace<Data> {
  readonly name: string
  readonly options: NamespaceOptions<Data>
  readonly topics: Topics
  readonly codecs: readonly (Codec | undefined)[]
  /** By codec index; the first, plain JSON, has no name. */
  readonly codecNames: readonly (string | undefined)[]
  readonly sockets = new Map<string, Socket<Data>>()
  readonly #events: ReadonlyMap<string, SharedHandler<Data>>
  readonly #packets: PacketCodec
  readonly #onError: (error: unknown, socket: Socket<Data>) => void
  readonly #onEmpty: (connection: ClientConnection<Data>) => void

  constructor(setup: {
    name: string
    options: NamespaceOptions<Data>
    topics: Topics
    codecs: readonly (Codec | undefined)[]
    codecNames: readonly (string | undefined)[]
    packets: PacketCodec
    onError: (error: unknown, socket: Socket<Data>) => void
    onEmpty: (connection: ClientConnection<Data>) => void
  }) {
    this.name = setup.name
    this.options = setup.options
    this.topics = setup.topics
    this.codecs = setup.codecs
    this.codecNames = setup.codecNames
    this.#events = new Map(Object.entries(setup.options.events ?? {}))
    this.#packets = setup.packets
    this.#onError = setup.onError
    this.#onEmpty = setup.onEmpty
  }

  send(connection: ClientConnection<Data>, packet: Packet): void {
    for (const message of this.#packets.encode(packet)) connection.send(message)
  }

  /** Connects a socket accepted by `onConnect`. */
  connected(socket: Socket<Data>): void {
    socket.connected = true
    this.sockets.set(socket.id, socket)
    this.send(socket.connection, { type: PacketType.CONNECT, nsp: this.name, data: { sid: socket.id } })
    this.guard(socket, () => this.options.onConnection?.(socket))
  }

  /** Calls the handler of an event. */
  dispatch(socket: Socket<Data>, packet: Packet): void {
    this.guard(socket, () => this.#handle(socket, packet))
  }

  #handle(socket: Socket<Data>, packet: Packet): void | Promise<void> {
    const [event, ...args]: [string | number, ...unknown[]] = packet.data
    const name = String(event)
    if (this.options.onEvent?.(socket, name) === false) return undefined
    const ack = packet.id === undefined ? undefined : this.#ackOf(socket, packet.id)
    const own = socket.handlers?.get(name)
    if (own !== undefined) return own(args, ack)
    const shared = this.#events.get(name)
    return shared === undefined ? this.options.otherEvents?.(socket, name, args, ack) : shared(socket, args, ack)
  }

  /** Runs a handler; errors and rejections go to `onError`. */
  guard(socket: Socket<Data>, run: () => void | Promise<void>): void {
    try {
      const result = run()
      if (result instanceof Promise) result.catch((error: unknown) => this.#onError(error, socket))
    } catch (error) {
      this.#onError(error, socket)
    }
  }

  forget(socket: Socket<Data>): void {
    this.sockets.delete(socket.id)
    this.topics.leaveAll(socket)
    socket.handlers = undefined
    const { connection } = socket
    connection.session?.left(this)
    if (connection.session?.isEmpty && !connection.closed) this.#onEmpty(connection)
  }

  #ackOf(socket: Socket<Data>, id: number): Ack {
    let answered = false
    return (...args) => {
      if (answered || !socket.connected) return
      answered = true
      this.send(socket.connection, { type: PacketType.ACK, nsp: this.name, id, data: args })
    }
  }
}
