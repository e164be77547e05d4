import type { TemplatedApp } from 'uWebSockets.js'
import type { Counters } from '../counters.ts'
import type { SlowReaders } from './backpressure.ts'
import { Newcomers } from './newcomers.ts'

/** Maps the JSON text of an event's argument to the JSON text to send instead. */
export type Codec = (json: string | Uint8Array) => string

/** A topic with sockets. `channels` and `onWebSocket` are by codec; `apart` is on polling or with a replay buffer. */
export type Topic = {
  name: string
  size: number
  channels: (string | undefined)[]
  onWebSocket: number[]
  apart: Set<Subscriber> | undefined
  /** When the last socket joined, by performance.now(). */
  joinedAtMS: number
  /** The sockets that joined with `afterMS`; undefined for none. */
  newcomers: Newcomers<Subscriber> | undefined
}

/** A published event. `id` is the publisher's; `flushBuffer` uses it to skip events that the socket already has. */
export interface BufferedEvent {
  topic: Topic
  event: string
  json: string | Uint8Array
  id: string | undefined
}

/** The parts of a socket that topics use. */
export interface Subscriber {
  readonly connected: boolean
  /** The socket's topics; undefined before the first join. */
  topics: Set<Topic> | undefined
  codec: number
  readonly replayBuffer: { add(event: BufferedEvent): void } | undefined
  readonly connection: {
    readonly ws: { subscribe(channel: string): boolean; unsubscribe(channel: string): boolean } | undefined
    sendPacket(packet: string): void
  }
}

type PublishOptions = {
  except?: Iterable<Subscriber> | undefined
  id?: string | undefined
  exceptBuffering?: boolean | undefined
  sentAtMS?: number | undefined
}

type TopicHooks = { onTopicActive?: (topic: string) => void; onTopicEmpty?: (topic: string) => void }

const FIRST_SCRATCH_BYTES = 65_536

/**
 * The topics of one namespace. A topic has a channel per codec, which is a uWebSockets.js topic. Publishing frames the
 * event once per codec in use and publishes it to the channel. Only sockets on long-polling or with a replay buffer are
 * handled individually.
 */
export class Topics {
  readonly #app: TemplatedApp
  readonly #counters: Counters
  readonly #slowReaders: SlowReaders
  readonly #codecs: readonly (Codec | undefined)[]
  readonly #hooks: TopicHooks
  readonly #channelPrefix: string
  readonly #packetPrefix: string
  readonly #topics = new Map<string, Topic>()
  #scratch = Buffer.allocUnsafeSlow(FIRST_SCRATCH_BYTES)

  constructor(
    app: TemplatedApp,
    namespace: { name: string; channelPrefix: string },
    codecs: readonly (Codec | undefined)[],
    shared: { counters: Counters; slowReaders: SlowReaders },
    hooks: TopicHooks,
  ) {
    this.#app = app
    this.#codecs = codecs
    this.#counters = shared.counters
    this.#slowReaders = shared.slowReaders
    this.#hooks = hooks
    this.#channelPrefix = namespace.channelPrefix
    this.#packetPrefix = namespace.name === '/' ? '42' : `42${namespace.name},`
  }

  /** @param afterMS the socket gets no event with a `sentAtMS` up to this */
  join(socket: Subscriber, name: string, afterMS?: number): void {
    const topic = this.#topics.get(name) ?? this.#newTopic(name)
    if (afterMS !== undefined) (topic.newcomers ??= new Newcomers()).add(socket, afterMS)
    if (socket.topics?.has(topic)) return
    socket.topics ??= new Set()
    socket.topics.add(topic)
    topic.size++
    topic.joinedAtMS = performance.now()
    this.#subscribe(socket, topic)
    if (topic.size === 1) this.#hooks.onTopicActive?.(name)
  }

  leave(socket: Subscriber, name: string): void {
    const topic = this.#topics.get(name)
    if (topic === undefined || !socket.topics?.delete(topic)) return
    this.#unsubscribe(socket, topic)
    this.#left(socket, topic)
  }

  /** Call when the socket has ended: leaves every topic. */
  leaveAll(socket: Subscriber): void {
    for (const topic of socket.topics ?? []) {
      this.#unsubscribe(socket, topic)
      this.#left(socket, topic)
    }
    socket.topics = undefined
  }

  has(socket: Subscriber, name: string): boolean {
    const topic = this.#topics.get(name)
    return topic !== undefined && socket.topics?.has(topic) === true
  }

  size(name: string): number {
    return this.#topics.get(name)?.size ?? 0
  }

  /** When a socket last joined the topic, by performance.now(); 0 for an empty topic. */
  joinedAtMS(name: string): number {
    return this.#topics.get(name)?.joinedAtMS ?? 0
  }

  /** Whether an event that was sent at a time is for the socket in its topic: see `afterMS` of join. */
  isFor(socket: Subscriber, name: string, sentAtMS: number): boolean {
    return this.#topics.get(name)?.newcomers?.isBefore(socket, sentAtMS) !== true
  }

  /** Moves the socket between its channels and `apart`. `change` sets or removes its replay buffer. */
  apart(socket: Subscriber, change: () => void): void {
    for (const topic of socket.topics ?? []) this.#unsubscribe(socket, topic)
    change()
    for (const topic of socket.topics ?? []) this.#subscribe(socket, topic)
  }

  /** Moves the socket to another codec, in all its topics. */
  recode(socket: Subscriber, codec: number): void {
    if (codec === socket.codec) return
    for (const topic of socket.topics ?? []) this.#unsubscribe(socket, topic)
    socket.codec = codec
    for (const topic of socket.topics ?? []) this.#subscribe(socket, topic)
  }

  /** Call when the socket's connection has moved from polling to a WebSocket. */
  upgraded(socket: Subscriber): void {
    for (const topic of socket.topics ?? []) {
      topic.apart?.delete(socket)
      this.#subscribe(socket, topic)
    }
  }

  /**
   * Sends an event to a topic; `json` is the JSON text of its one argument (UTF-8 if bytes), sent unchanged. Returns
   * the number of sockets that it went to.
   *
   * @param id see BufferedEvent
   * @param exceptBuffering skips sockets with a replay buffer
   * @param sentAtMS skips sockets that joined with an `afterMS` not before it
   */
  publish(
    name: string,
    event: string,
    json: string | Uint8Array,
    { except, id, exceptBuffering = false, sentAtMS }: PublishOptions = {},
  ): number {
    this.#slowReaders.close()
    const topic = this.#topics.get(name)
    if (topic === undefined) return 0
    const held = { topic, event, json, id }
    const newer = topic.newcomers === undefined || sentAtMS === undefined ? undefined : newerThan(topic, sentAtMS)
    if (except === undefined && newer === undefined) return this.#deliver(held, undefined, exceptBuffering)
    const left = new Set<Subscriber>(newer)
    for (const socket of except ?? []) if (socket.topics?.has(topic)) left.add(socket)
    // uWebSockets.js determines a message's receivers when it is published, so unsubscribing for this call is exact.
    for (const socket of left) if (socket.connection.ws !== undefined) this.#unsubscribe(socket, topic)
    const receivers = this.#deliver(held, left, exceptBuffering)
    for (const socket of left) if (socket.connection.ws !== undefined) this.#subscribe(socket, topic)
    return receivers
  }

  sendTo(sockets: Iterable<Subscriber>, event: string, json: string | Uint8Array): void {
    const frames: string[] = []
    for (const socket of sockets) {
      if (socket.connected)
        socket.connection.sendPacket((frames[socket.codec] ??= this.frameText(event, json, socket.codec)))
    }
  }

  /** One event as an Engine.IO packet in text form, for a single socket. */
  frameText(event: string, json: string | Uint8Array, codec: number): string {
    return `${this.#head(event)}${this.#argument(json, codec)}]`
  }

  #deliver(published: BufferedEvent, except: ReadonlySet<Subscriber> | undefined, exceptBuffering: boolean): number {
    const { topic, event, json } = published
    let receivers = 0
    for (let codec = 0; codec < topic.onWebSocket.length; codec++) {
      const sockets = topic.onWebSocket[codec] ?? 0
      const channel = topic.channels[codec]
      if (sockets === 0 || channel === undefined) continue
      this.#app.publish(channel, this.#frame(event, json, codec), false)
      receivers += sockets
    }
    this.#counters.packetsOut += receivers
    if (topic.apart === undefined || topic.apart.size === 0) return receivers
    const frames: string[] = []
    for (const socket of topic.apart) {
      if (except?.has(socket) || (exceptBuffering && socket.replayBuffer !== undefined)) continue
      receivers++
      if (socket.replayBuffer !== undefined) {
        socket.replayBuffer.add(published)
        continue
      }
      const frame = (frames[socket.codec] ??= this.frameText(event, json, socket.codec))
      socket.connection.sendPacket(frame)
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

  /** The frame for publish, which copies it. Bytes are joined in a reused buffer. */
  #frame(event: string, json: string | Uint8Array, codec: number): string | Uint8Array {
    if (typeof json === 'string' || codec !== 0) return this.frameText(event, json, codec)
    const head = this.#head(event)
    const max = head.length * 3 + json.byteLength + 1
    if (max > this.#scratch.byteLength) this.#scratch = Buffer.allocUnsafeSlow(max * 2)
    const start = this.#scratch.write(head)
    this.#scratch.set(json, start)
    const end = start + json.byteLength
    this.#scratch[end] = 0x5d
    return this.#scratch.subarray(0, end + 1)
  }

  #subscribe(socket: Subscriber, topic: Topic): void {
    const { ws } = socket.connection
    if (ws === undefined || socket.replayBuffer !== undefined) {
      topic.apart ??= new Set()
      topic.apart.add(socket)
      return
    }
    const channel = (topic.channels[socket.codec] ??= `${this.#channelPrefix}${socket.codec}:${topic.name}`)
    ws.subscribe(channel)
    topic.onWebSocket[socket.codec] = (topic.onWebSocket[socket.codec] ?? 0) + 1
  }

  #unsubscribe(socket: Subscriber, topic: Topic): void {
    if (topic.apart?.delete(socket)) return
    const channel = topic.channels[socket.codec]
    // A closed WebSocket is already unsubscribed.
    if (channel !== undefined) socket.connection.ws?.unsubscribe(channel)
    topic.onWebSocket[socket.codec] = (topic.onWebSocket[socket.codec] ?? 1) - 1
  }

  #newTopic(name: string): Topic {
    // Allocate the final length: growing arrays over-allocate, and most topics have one socket.
    const channels = this.#codecs.map(() => undefined)
    const onWebSocket = this.#codecs.map(() => 0)
    const topic = { name, size: 0, channels, onWebSocket, apart: undefined, joinedAtMS: 0, newcomers: undefined }
    this.#topics.set(name, topic)
    return topic
  }

  #left(socket: Subscriber, topic: Topic): void {
    topic.size--
    topic.newcomers?.delete(socket)
    if (topic.size > 0) return
    this.#topics.delete(topic.name)
    this.#hooks.onTopicEmpty?.(topic.name)
  }
}

function newerThan(topic: Topic, sentAtMS: number): Subscriber[] | undefined {
  if (topic.newcomers?.areOld(sentAtMS)) topic.newcomers = undefined
  return topic.newcomers?.after(sentAtMS)
}
