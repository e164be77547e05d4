import { type Packet, PacketType } from 'socket.io-parser'
import type { Connection } from '../engine/connection.ts'
import type { Client } from './client.ts'
import { ReplayBuffer } from './replay-buffer.ts'
import type { Codec, Topic, Topics } from './topics.ts'

/** Acknowledges an event. Further calls are no-ops. */
export type Ack = (...args: unknown[]) => void
/** Handles an event with its arguments and, if the client requested one, the acknowledgement. */
type EventHandler = (args: unknown[], ack: Ack | undefined) => void | Promise<void>

/** The client's data when it connected. */
export type Handshake = {
  /** The payload of the CONNECT packet (`auth` in socket.io-client), by default {}. */
  auth: Readonly<Record<string, unknown>>
  address: string
  /** The query string's own parameters. */
  query: URLSearchParams
  /** The headers named in `keepHeaders`. */
  headers: Readonly<Record<string, string>>
}

/** Parses the query lazily: that is expensive, and most handlers need only the address or `auth`. */
export function handshakeOf<Data>(
  { address, query, headers }: ClientConnection<Data>,
  auth: Handshake['auth'],
): Handshake {
  return {
    auth,
    address,
    headers,
    get query() {
      return new URLSearchParams(query)
    },
  }
}

/** Handles an event of any socket of the namespace. */
export type SharedHandler<Data> = (socket: Socket<Data>, args: unknown[], ack: Ack | undefined) => void | Promise<void>
/** The handlers of a namespace. One object for all its sockets, so that a socket needs no closures. */
export type NamespaceOptions<Data> = {
  /** Runs before the socket is connected; throwing (or rejecting with) a ConnectError refuses it. */
  onConnect?: (socket: Socket<Data>) => void | Promise<void>
  onConnection?: (socket: Socket<Data>) => void
  /** A connected socket moved from polling to a WebSocket: `socket.transport` is `websocket` from now on. */
  onUpgrade?: (socket: Socket<Data>) => void
  onDisconnect?: (socket: Socket<Data>, reason: string) => void
  /** Called first for every event; returning false drops it. Count and limit events here. */
  onEvent?: (socket: Socket<Data>, event: string) => boolean
  events?: Readonly<Record<string, SharedHandler<Data>>>
  /** Handles events without another handler. */
  otherEvents?: (socket: Socket<Data>, event: string, args: unknown[], ack: Ack | undefined) => void | Promise<void>
  onTopicActive?: (topic: string) => void
  onTopicEmpty?: (topic: string) => void
}

/** The parts of a namespace that its sockets use. */
interface SocketNamespace<Data> {
  readonly name: string
  readonly options: NamespaceOptions<Data>
  readonly topics: Topics
  readonly codecs: readonly (Codec | undefined)[]
  readonly codecNames: readonly (string | undefined)[]
  send(connection: ClientConnection<Data>, packet: Packet): void
  dispatch(socket: Socket<Data>, packet: Packet): void
  guard(socket: Socket<Data>, run: () => void | Promise<void>): void
  forget(socket: Socket<Data>): void
}

export type ClientConnection<Data> = Connection<Client<Socket<Data>>>

type PendingAck = { resolve: (args: unknown[]) => void; reject: (error: Error) => void; timer: NodeJS.Timeout }

/** One client in one namespace. Valid until `onDisconnect`; later sends are no-ops. */
export class Socket<Data> {
  /** Public ID of the socket, known to the client. Not the secret session ID. */
  readonly id: string
  readonly namespace: SocketNamespace<Data>
  readonly connection: ClientConnection<Data>
  readonly auth: Readonly<Record<string, unknown>>
  /** Your data, typed by the server's type parameter; created by `initialData`. */
  data: Data
  connected = false
  /** Index of the codec in use; 0 is plain JSON. */
  codec = 0
  /** The topics the socket is in; undefined before the first join. */
  topics: Set<Topic> | undefined
  /** Buffers live events during a replay. */
  replayBuffer: ReplayBuffer | undefined
  handlers: Map<string, EventHandler> | undefined
  onDisconnect: ((reason: string) => void) | undefined
  #acks: Map<number, PendingAck> | undefined
  #lastAck = 0

  constructor(
    namespace: SocketNamespace<Data>,
    connection: ClientConnection<Data>,
    id: string,
    auth: Readonly<Record<string, unknown>>,
    data: Data,
  ) {
    this.namespace = namespace
    this.connection = connection
    this.id = id
    this.auth = auth
    this.data = data
  }

  get handshake(): Handshake {
    return handshakeOf(this.connection, this.auth)
  }

  get transport(): 'polling' | 'websocket' {
    return this.connection.transport
  }

  /** Sets this socket's handler of an event, which takes precedence over the namespace's. */
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

  /** Sends an event with one argument, given as JSON text and sent unchanged. */
  emitJson(event: string, json: string | Uint8Array): void {
    if (this.connected) this.connection.sendPacket(this.namespace.topics.frameText(event, json, this.codec))
  }

  /** Sends an event and resolves to the arguments of the client's acknowledgement. Rejects on timeout or disconnect. */
  emitWithAck(event: string, args: unknown[], timeoutMS: number): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      if (!this.connected) return reject(new Error('socket is disconnected'))
      const id = ++this.#lastAck
      const timer = setTimeout(() => {
        this.#acks?.delete(id)
        reject(new Error(`no acknowledgement within ${timeoutMS} ms`))
      }, timeoutMS)
      this.#acks ??= new Map()
      this.#acks.set(id, { resolve, reject, timer })
      const { namespace } = this
      namespace.send(this.connection, { type: PacketType.EVENT, nsp: namespace.name, data: [event, ...args], id })
      return undefined
    })
  }

  /** Joins a topic: events published from now on reach this socket, except those with a `sentAtMS` up to `afterMS`. */
  join(topic: string, afterMS?: number): void {
    if (this.connected) this.namespace.topics.join(this, topic, afterMS)
  }

  /** Leaves a topic: nothing published from now on reaches this socket. */
  leave(topic: string): void {
    this.namespace.topics.leave(this, topic)
  }

  isIn(topic: string): boolean {
    return this.namespace.topics.has(this, topic)
  }

  /** Whether the socket is in a topic, and an event sent at this time is for it. */
  gets(topic: string, sentAtMS: number): boolean {
    return this.isIn(topic) && this.namespace.topics.isFor(this, topic, sentAtMS)
  }

  /**
   * Buffers events of the socket's topics until `flushBuffer` or `stopBuffering`. Direct sends still go out. Beyond
   * `maxBytes`, all are dropped, as by `replayBuffer.lose()`.
   */
  startBuffering(maxBytes: number): void {
    if (this.connected && this.replayBuffer === undefined) {
      this.namespace.topics.apart(this, () => {
        this.replayBuffer = new ReplayBuffer(maxBytes)
      })
    }
  }

  /**
   * Sends the buffered events, except those of topics that the socket has left and those with known IDs, and stops
   * buffering. If events were dropped, returns false and keeps buffering with an empty buffer.
   */
  flushBuffer(isKnown: (id: string) => boolean = () => false): boolean {
    const { replayBuffer } = this
    if (replayBuffer === undefined) return true
    if (replayBuffer.isIncomplete && this.connected) {
      replayBuffer.clear()
      return false
    }
    const events = replayBuffer.events.filter(
      ({ topic, id }) => this.isIn(topic.name) && (id === undefined || !isKnown(id)),
    )
    this.namespace.topics.apart(this, () => {
      this.replayBuffer = undefined
    })
    this.connection.cork(() => {
      for (const { event, json } of events) this.emitJson(event, json)
    })
    return true
  }

  /** Stops buffering in any case; `incomplete` if events were dropped. */
  stopBuffering(): 'whole' | 'incomplete' {
    if (this.flushBuffer()) return 'whole'
    this.flushBuffer()
    return 'incomplete'
  }

  /** Encodes later events with the named codec; undefined is plain JSON. Throws on an unknown name. */
  setCodec(name: string | undefined): void {
    const codec = name === undefined ? 0 : this.namespace.codecNames.indexOf(name)
    if (codec < 0) throw new Error(`unknown codec ${name}`)
    this.namespace.topics.recode(this, codec)
  }

  /**
   * Disconnects the socket with a Socket.IO DISCONNECT, after which the stock client does not reconnect by itself.
   * `close` also closes the transport, for all namespaces. `reason` is used as in `closeTransport`.
   */
  disconnect(close = false, reason = 'server namespace disconnect'): void {
    if (!this.connected) return
    const { connection, namespace } = this
    namespace.send(connection, { type: PacketType.DISCONNECT, nsp: namespace.name })
    this.closed(reason)
    // Do not cork: uWebSockets.js would keep the TCP connection open for 15 s.
    if (close) connection.close(reason)
  }

  /** Closes the transport; the stock client reconnects. `reason` goes into the close frame and to `onDisconnect`. */
  closeTransport(reason: string): void {
    this.connection.close(reason)
  }

  /** Call when the client's acknowledgement arrives. */
  acknowledged(id: number, args: unknown[]): void {
    const pending = this.#acks?.get(id)
    if (pending === undefined) return
    this.#acks?.delete(id)
    clearTimeout(pending.timer)
    pending.resolve(args)
  }

  /** Call when the socket has ended: leaves its topics, and rejects outstanding acknowledgements. Idempotent. */
  closed(reason: string): void {
    if (!this.connected) return
    this.connected = false
    this.namespace.forget(this)
    for (const pending of this.#acks?.values() ?? []) {
      clearTimeout(pending.timer)
      pending.reject(new Error(`disconnected: ${reason}`))
    }
    this.#acks = undefined
    this.namespace.guard(this, () => this.onDisconnect?.(reason))
    this.namespace.guard(this, () => this.namespace.options.onDisconnect?.(this, reason))
  }
}
