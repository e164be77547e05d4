import { PacketType } from 'socket.io-parser'
import type { Client } from './client.ts'
import type { Connection } from './connection.ts'
import type { Namespace } from './namespace.ts'
import type { Room } from './rooms.ts'

/** Answers an event, once; further calls do nothing. */
export type Ack = (...args: unknown[]) => void
/** Handles an event with its arguments and, when the client asked for one, the acknowledgement. */
export type EventHandler = (args: unknown[], ack: Ack | undefined) => void | Promise<void>

/** What the client brought along when it connected. */
export type Handshake = {
  /** The payload of its CONNECT packet (`auth` in socket.io-client), {} when there was none. */
  auth: Readonly<Record<string, unknown>>
  address: string
  /** The query string's own parameters. */
  query: URLSearchParams
  /** The headers named in `keepHeaders`. */
  headers: Readonly<Record<string, string>>
}

type PendingAck = { resolve: (args: unknown[]) => void; reject: (error: Error) => void; timer: NodeJS.Timeout }

/** One client in one namespace. Valid until `onDisconnect`; sending to it afterwards does nothing. */
export class Socket<Data> {
  /** Public ID of the socket (told to the client; not the secret session ID). */
  readonly id: string
  readonly namespace: Namespace<Data>
  readonly connection: Connection<Client<Data>>
  readonly auth: Readonly<Record<string, unknown>>
  /** Yours, typed by the server's type parameter; made by `initialData`. */
  data: Data
  connected = false
  /** Index of the codec in use; 0 is plain JSON. */
  codec = 0
  /** The rooms the socket is in; undefined before the first join. */
  rooms: Set<Room<Data>> | undefined
  handlers: Map<string, EventHandler> | undefined
  onDisconnect: ((reason: string) => void) | undefined
  #acks: Map<number, PendingAck> | undefined
  #lastAck = 0

  constructor(
    namespace: Namespace<Data>,
    connection: Connection<Client<Data>>,
    id: string,
    auth: Readonly<Record<string, unknown>>,
    data: Data,
  ) {
    this.namespace = namespace
    this.connection = connection
    this.id = id
    this.auth = auth
    this.data = data
    this.rooms = undefined
    this.handlers = undefined
    this.onDisconnect = undefined
    this.#acks = undefined
  }

  get handshake(): Handshake {
    const { address, query, headers } = this.connection
    return { auth: this.auth, address, query: new URLSearchParams(query), headers }
  }

  get transport(): 'polling' | 'websocket' {
    return this.connection.transport
  }

  /** Handles an event of this socket; one handler per event, before the namespace's own. */
  on(event: string, handler: EventHandler): void {
    this.handlers ??= new Map()
    this.handlers.set(event, handler)
  }

  /** Sends an event; binary arguments become attachments. With a codec in use, every argument goes through it. */
  emit(event: string, ...args: unknown[]): void {
    if (!this.connected) return
    const codec = this.namespace.codecs[this.codec]
    const data =
      codec === undefined ? args : args.map((arg) => JSON.parse(codec(JSON.stringify(arg ?? null))) as unknown)
    this.namespace.send(this.connection, { type: PacketType.EVENT, nsp: this.namespace.name, data: [event, ...data] })
  }

  /** Sends an event whose one argument is given as JSON text, which is spliced in as it is. */
  emitJson(event: string, json: string | Uint8Array): void {
    if (this.connected) this.connection.sendPacket(this.namespace.rooms.frameText(event, json, this.codec))
  }

  /** Sends an event and resolves to the arguments the client acknowledges it with. Rejects on timeout or disconnect. */
  emitWithAck(event: string, args: unknown[], timeoutMs: number): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      if (!this.connected) return reject(new Error('socket is disconnected'))
      const id = ++this.#lastAck
      const timer = setTimeout(() => {
        this.#acks?.delete(id)
        reject(new Error(`no acknowledgement within ${timeoutMs} ms`))
      }, timeoutMs)
      this.#acks ??= new Map()
      this.#acks.set(id, { resolve, reject, timer })
      const { namespace } = this
      namespace.send(this.connection, { type: PacketType.EVENT, nsp: namespace.name, data: [event, ...args], id })
      return undefined
    })
  }

  /** Joins a room: from now on what is published there comes to this socket. */
  join(room: string): void {
    if (this.connected) this.namespace.rooms.join(this, room)
  }

  /** Leaves a room: nothing published from now on comes to this socket. */
  leave(room: string): void {
    this.namespace.rooms.leave(this, room)
  }

  isIn(room: string): boolean {
    return this.namespace.rooms.has(this, room)
  }

  /** Has every event from now on encoded by the named codec; undefined is plain JSON. Throws on an unknown name. */
  setCodec(name: string | undefined): void {
    const codec = name === undefined ? 0 : this.namespace.codecNames.indexOf(name)
    if (codec < 0) throw new Error(`unknown codec ${name}`)
    this.namespace.rooms.recode(this, codec)
  }

  /**
   * Disconnects the socket by a Socket.IO DISCONNECT: the stock client takes it as final and does not come back by
   * itself. `close` also closes the transport, for all namespaces.
   */
  disconnect(close = false): void {
    if (!this.connected) return
    const { connection } = this
    connection.cork(() => {
      this.namespace.send(connection, { type: PacketType.DISCONNECT, nsp: this.namespace.name })
      this.closed('server namespace disconnect')
      if (close) connection.close('server namespace disconnect')
    })
  }

  /** Closes the transport: the stock client reconnects. `reason` goes into the close frame and to `onDisconnect`. */
  closeTransport(reason: string): void {
    this.connection.close(reason)
  }

  /** The client's acknowledgement came. */
  acknowledged(id: number, args: unknown[]): void {
    const pending = this.#acks?.get(id)
    if (pending === undefined) return
    this.#acks?.delete(id)
    clearTimeout(pending.timer)
    pending.resolve(args)
  }

  /** The socket's end, told once: leaves its rooms, fails its outstanding acknowledgements. */
  closed(reason: string): void {
    if (!this.connected) return
    this.connected = false
    this.namespace.forget(this)
    for (const pending of this.#acks?.values() ?? []) {
      clearTimeout(pending.timer)
      pending.reject(new Error(`disconnected: ${reason}`))
    }
    this.#acks = undefined
    this.onDisconnect?.(reason)
    this.namespace.options.onDisconnect?.(this, reason)
  }
}
