import type { TemplatedApp } from 'uWebSockets.js'
import type { SlowReaders } from './backpressure.ts'
import type { Counters } from './counters.ts'
import type { Socket } from './socket.ts'

/** Turns the JSON text of an event's argument into the JSON text that is sent in its place. */
export type Codec = (json: string | Uint8Array) => string

/** A room while somebody is in it. `topics` and `onWebSocket` are indexed by codec. */
export type Room<Data> = {
  name: string
  size: number
  topics: (string | undefined)[]
  onWebSocket: number[]
  onPolling: Set<Socket<Data>> | undefined
}

export type RoomHooks = { onRoomActive?: (room: string) => void; onRoomEmpty?: (room: string) => void }

const FIRST_SCRATCH_BYTES = 65_536

/**
 * The rooms of one namespace. A room is one uWebSockets.js topic per codec: publishing frames the event once per codec
 * in use and hands it to the topic; only sockets on long-polling are visited one by one.
 */
export class Rooms<Data> {
  readonly #app: TemplatedApp
  readonly #counters: Counters
  readonly #slowReaders: SlowReaders
  readonly #codecs: readonly (Codec | undefined)[]
  readonly #hooks: RoomHooks
  readonly #topicPrefix: string
  readonly #packetPrefix: string
  readonly #rooms = new Map<string, Room<Data>>()
  #scratch = Buffer.allocUnsafeSlow(FIRST_SCRATCH_BYTES)

  constructor(
    app: TemplatedApp,
    namespace: { name: string; topicPrefix: string },
    codecs: readonly (Codec | undefined)[],
    shared: { counters: Counters; slowReaders: SlowReaders },
    hooks: RoomHooks,
  ) {
    this.#app = app
    this.#codecs = codecs
    this.#counters = shared.counters
    this.#slowReaders = shared.slowReaders
    this.#hooks = hooks
    this.#topicPrefix = namespace.topicPrefix
    this.#packetPrefix = namespace.name === '/' ? '42' : `42${namespace.name},`
  }

  join(socket: Socket<Data>, name: string): void {
    let room = this.#rooms.get(name)
    if (room !== undefined && socket.rooms?.has(room)) return
    if (room === undefined) {
      // Lists of their final length: growing ones take room ahead, and most rooms are one user's own.
      const topics = this.#codecs.map(() => undefined)
      room = { name, size: 0, topics, onWebSocket: this.#codecs.map(() => 0), onPolling: undefined }
      this.#rooms.set(name, room)
    }
    socket.rooms ??= new Set()
    socket.rooms.add(room)
    room.size++
    this.#subscribe(socket, room)
    if (room.size === 1) this.#hooks.onRoomActive?.(name)
  }

  leave(socket: Socket<Data>, name: string): void {
    const room = this.#rooms.get(name)
    if (room === undefined || !socket.rooms?.delete(room)) return
    this.#unsubscribe(socket, room)
    this.#left(room)
  }

  /** The socket is gone: it leaves every room. */
  leaveAll(socket: Socket<Data>): void {
    for (const room of socket.rooms ?? []) {
      this.#unsubscribe(socket, room)
      this.#left(room)
    }
    socket.rooms = undefined
  }

  has(socket: Socket<Data>, name: string): boolean {
    const room = this.#rooms.get(name)
    return room !== undefined && socket.rooms?.has(room) === true
  }

  size(name: string): number {
    return this.#rooms.get(name)?.size ?? 0
  }

  /** Moves the socket to another codec, in all its rooms. */
  recode(socket: Socket<Data>, codec: number): void {
    if (codec === socket.codec) return
    for (const room of socket.rooms ?? []) this.#unsubscribe(socket, room)
    socket.codec = codec
    for (const room of socket.rooms ?? []) this.#subscribe(socket, room)
  }

  /** The socket's connection moved from polling to a WebSocket. */
  upgraded(socket: Socket<Data>): void {
    for (const room of socket.rooms ?? []) {
      room.onPolling?.delete(socket)
      this.#subscribe(socket, room)
    }
  }

  /**
   * Sends an event to everybody in a room; `json` is the JSON text of its one argument (UTF-8 if bytes) and goes out as
   * it is. Answers to how many sockets it went.
   */
  publish(name: string, event: string, json: string | Uint8Array, except?: Iterable<Socket<Data>>): number {
    this.#slowReaders.close()
    const room = this.#rooms.get(name)
    if (room === undefined) return 0
    if (except === undefined) return this.#deliver(room, event, json, undefined)
    const left = new Set<Socket<Data>>()
    for (const socket of except) if (socket.rooms?.has(room)) left.add(socket)
    // uWebSockets.js fixes a message's receivers when it is published, so that being away for this one call is exact.
    for (const socket of left) if (socket.connection.ws !== undefined) this.#unsubscribe(socket, room)
    const receivers = this.#deliver(room, event, json, left)
    for (const socket of left) if (socket.connection.ws !== undefined) this.#subscribe(socket, room)
    return receivers
  }

  /** One event as an Engine.IO packet in text form, for a single socket. */
  frameText(event: string, json: string | Uint8Array, codec: number): string {
    return `${this.#head(event)}${this.#argument(json, codec)}]`
  }

  #deliver(
    room: Room<Data>,
    event: string,
    json: string | Uint8Array,
    except: ReadonlySet<Socket<Data>> | undefined,
  ): number {
    let receivers = 0
    for (let codec = 0; codec < room.onWebSocket.length; codec++) {
      const sockets = room.onWebSocket[codec] ?? 0
      const topic = room.topics[codec]
      if (sockets === 0 || topic === undefined) continue
      this.#app.publish(topic, this.#frame(event, json, codec), false)
      receivers += sockets
    }
    this.#counters.packetsOut += receivers
    if (room.onPolling === undefined || room.onPolling.size === 0) return receivers
    const frames: string[] = []
    for (const socket of room.onPolling) {
      if (except?.has(socket)) continue
      const frame = (frames[socket.codec] ??= this.frameText(event, json, socket.codec))
      socket.connection.sendPacket(frame)
      receivers++
    }
    return receivers
  }

  #head(event: string): string {
    return `${this.#packetPrefix}[${JSON.stringify(event)},`
  }

  #argument(json: string | Uint8Array, codec: number): string {
    const encode = this.#codecs[codec]
    if (encode !== undefined) return encode(json)
    return typeof json === 'string' ? json : Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString()
  }

  /** The frame for publish, which copies it; bytes are put together in a buffer that is used again. */
  #frame(event: string, json: string | Uint8Array, codec: number): string | Uint8Array {
    if (typeof json === 'string' || codec !== 0) return this.frameText(event, json, codec)
    const head = this.#head(event)
    const most = head.length * 3 + json.byteLength + 1
    if (most > this.#scratch.byteLength) this.#scratch = Buffer.allocUnsafeSlow(most * 2)
    const start = this.#scratch.write(head)
    this.#scratch.set(json, start)
    const end = start + json.byteLength
    this.#scratch[end] = 0x5d
    return this.#scratch.subarray(0, end + 1)
  }

  #subscribe(socket: Socket<Data>, room: Room<Data>): void {
    const { ws } = socket.connection
    if (ws === undefined) {
      room.onPolling ??= new Set()
      room.onPolling.add(socket)
      return
    }
    const topic = (room.topics[socket.codec] ??= `${this.#topicPrefix}${socket.codec}:${room.name}`)
    ws.subscribe(topic)
    room.onWebSocket[socket.codec] = (room.onWebSocket[socket.codec] ?? 0) + 1
  }

  #unsubscribe(socket: Socket<Data>, room: Room<Data>): void {
    if (room.onPolling?.delete(socket)) return
    const topic = room.topics[socket.codec]
    // A closed WebSocket has left its topics by itself.
    if (topic !== undefined) socket.connection.ws?.unsubscribe(topic)
    room.onWebSocket[socket.codec] = (room.onWebSocket[socket.codec] ?? 1) - 1
  }

  #left(room: Room<Data>): void {
    room.size--
    if (room.size > 0) return
    this.#rooms.delete(room.name)
    this.#hooks.onRoomEmpty?.(room.name)
  }
}
