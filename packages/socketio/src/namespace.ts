import { type Packet, PacketType } from 'socket.io-parser'
import type { Client } from './client.ts'
import type { Connection } from './connection.ts'
import type { PacketCodec } from './packet.ts'
import type { Codec, Rooms } from './rooms.ts'
import type { Ack, Socket } from './socket.ts'

/** Refuses a socket in `onConnect`: the client gets a connect_error with this message and data. */
export class ConnectError extends Error {
  readonly data: unknown
  constructor(message: string, data?: unknown) {
    super(message)
    this.data = data
  }
}

/** Handles an event of any socket of the namespace. */
export type SharedHandler<Data> = (socket: Socket<Data>, args: unknown[], ack: Ack | undefined) => void | Promise<void>

/** What a namespace does; one object for all of its sockets, so that a socket costs no closures. */
export type NamespaceOptions<Data> = {
  /** Runs before the socket is connected; throwing (or rejecting with) a ConnectError refuses it. */
  onConnect?: (socket: Socket<Data>) => void | Promise<void>
  onConnection?: (socket: Socket<Data>) => void
  onDisconnect?: (socket: Socket<Data>, reason: string) => void
  /** Sees every event first; false drops it (the place to count and limit). */
  onEvent?: (socket: Socket<Data>, event: string) => boolean
  events?: Readonly<Record<string, SharedHandler<Data>>>
  onRoomActive?: (room: string) => void
  onRoomEmpty?: (room: string) => void
}

export class Namespace<Data> {
  readonly name: string
  readonly options: NamespaceOptions<Data>
  readonly rooms: Rooms<Data>
  readonly codecs: readonly (Codec | undefined)[]
  /** By codec index; the first, plain JSON, has no name. */
  readonly codecNames: readonly (string | undefined)[]
  readonly sockets = new Map<string, Socket<Data>>()
  readonly #events: ReadonlyMap<string, SharedHandler<Data>>
  readonly #packets: PacketCodec
  readonly #onError: (error: unknown, socket: Socket<Data>) => void
  readonly #onEmpty: (connection: Connection<Client<Data>>) => void

  constructor(setup: {
    name: string
    options: NamespaceOptions<Data>
    rooms: Rooms<Data>
    codecs: readonly (Codec | undefined)[]
    codecNames: readonly (string | undefined)[]
    packets: PacketCodec
    onError: (error: unknown, socket: Socket<Data>) => void
    onEmpty: (connection: Connection<Client<Data>>) => void
  }) {
    this.name = setup.name
    this.options = setup.options
    this.rooms = setup.rooms
    this.codecs = setup.codecs
    this.codecNames = setup.codecNames
    this.#events = new Map(Object.entries(setup.options.events ?? {}))
    this.#packets = setup.packets
    this.#onError = setup.onError
    this.#onEmpty = setup.onEmpty
  }

  send(connection: Connection<Client<Data>>, packet: Packet): void {
    for (const message of this.#packets.encode(packet)) connection.send(message)
  }

  /** Connects a socket whose `onConnect` let it in. */
  connected(socket: Socket<Data>): void {
    socket.connected = true
    this.sockets.set(socket.id, socket)
    this.send(socket.connection, { type: PacketType.CONNECT, nsp: this.name, data: { sid: socket.id } })
    this.options.onConnection?.(socket)
  }

  /** Calls the handler of an event. What it throws, or rejects with, goes to `onError`. */
  dispatch(socket: Socket<Data>, packet: Packet): void {
    const [event, ...args]: [string | number, ...unknown[]] = packet.data
    const name = String(event)
    if (this.options.onEvent?.(socket, name) === false) return
    const own = socket.handlers?.get(name)
    const shared = own === undefined ? this.#events.get(name) : undefined
    if (own === undefined && shared === undefined) return
    const ack = packet.id === undefined ? undefined : this.#ackOf(socket, packet.id)
    try {
      const result = own === undefined ? shared?.(socket, args, ack) : own(args, ack)
      if (result instanceof Promise) result.catch((error: unknown) => this.#onError(error, socket))
    } catch (error) {
      this.#onError(error, socket)
    }
  }

  forget(socket: Socket<Data>): void {
    this.sockets.delete(socket.id)
    this.rooms.leaveAll(socket)
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
