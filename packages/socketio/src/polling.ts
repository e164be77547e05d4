import type { WebSocket } from 'uWebSockets.js'
import { badRequest, type Reply, textResponse } from './answer.ts'
import type { Carried, Connection } from './connection.ts'
import { receivePacket } from './receive-packet.ts'

const SEPARATOR = '\x1e'
/** A poll takes home about this much (a larger packet goes alone), so that answers fit into a bus message. */
const POLL_BYTES = 262_144
/** While an upgrade is under way, a poll is sent home after this long (ms), as the reference server does it ... */
const RELEASE_AFTER_MS = 100
/** ... and an upgrade is given up after this long (ms). */
const UPGRADE_MS = 10_000

/** What a session on long-polling has beside its connection: the bounded queue and the request that waits for it. */
export class Polling<S> {
  readonly #connection: Connection<S>
  #queue: string[] = []
  #bytes = 0
  #waiting: Reply | undefined
  #ending = false
  /** The last packet of an ending session: a close, or a noop when the client closed it itself. */
  #farewell: '1' | '6' = '1'
  /** The WebSocket that is being probed to take over. */
  probe: WebSocket<Carried<S>> | undefined
  /** Until when (ms) an upgrade whose probe was answered may be completed; polls are meanwhile sent home with a noop. */
  #upgradingUntil = 0
  /** The client is on a WebSocket of another node: polls and posts of its own are no longer taken. */
  bridged = false
  /** A post is being read. */
  posting = false

  constructor(connection: Connection<S>) {
    this.#connection = connection
    this.#waiting = undefined
    this.probe = undefined
  }

  /** Queues a packet; over `maxBufferedBytes` the session ends as a slow reader. */
  push(packet: string): void {
    const { engine } = this.#connection
    this.#bytes += Buffer.byteLength(packet) + 1
    this.#queue.push(packet)
    if (this.#bytes > engine.maxBufferedBytes) {
      engine.counters.drops += this.#queue.length
      this.#connection.terminate('slow reader')
    } else if (this.#waiting !== undefined) engine.flushSoon(this.#connection)
  }

  /** Answers the waiting poll with what is queued, or with the close that comes after it. */
  flush(): void {
    const reply = this.#waiting
    if (reply === undefined || (this.#queue.length === 0 && !this.#ending)) return
    this.#waiting = undefined
    if (this.#queue.length > 0) reply(textResponse(this.#take().join(SEPARATOR)))
    else {
      // Never beside other packets: the stock client acts on a close before it has read them.
      reply(textResponse(this.#farewell))
      this.#forget()
    }
  }

  /** Empties the queue. */
  takeAll(): string[] {
    const packets = this.#queue
    this.#queue = []
    this.#bytes = 0
    return packets
  }

  #take(): string[] {
    if (this.#bytes <= POLL_BYTES) return this.takeAll()
    let size = 0
    let packets = 0
    for (const packet of this.#queue) {
      size += Buffer.byteLength(packet) + 1
      if (packets > 0 && size > POLL_BYTES) break
      this.#bytes -= Buffer.byteLength(packet) + 1
      packets++
    }
    return this.#queue.splice(0, packets)
  }

  /** Sends a waiting poll home so that the client can pause polling (Engine.IO protocol, section "Upgrade"). */
  release(): void {
    if (this.#waiting === undefined) return
    if (this.#queue.length === 0) this.#queue.push('6')
    this.flush()
  }

  /** Tells the client to close, after what is queued: the session answers polls until it is told. */
  end(): void {
    this.#ending = true
    this.flush()
    setTimeout(() => this.#forget(), this.#connection.engine.pingTimeoutMs).unref()
  }

  /** The client asked to close: its poll, which may overtake or follow the request, ends with a noop. */
  closedByClient(): void {
    this.takeAll()
    this.#farewell = '6'
    this.end()
    this.#connection.ended('transport close')
  }

  get isUpgrading(): boolean {
    return performance.now() < this.#upgradingUntil
  }

  /** A probe was answered. */
  startUpgrade(): void {
    this.#upgradingUntil = performance.now() + UPGRADE_MS
    this.release()
  }

  /** The probe is gone. */
  stopUpgrade(): void {
    this.#upgradingUntil = 0
  }

  /** Forgets queue and session; a waiting poll is answered with a close. */
  abandon(): void {
    this.takeAll()
    this.#ending = true
    this.flush()
    this.#forget()
  }

  #forget(): void {
    this.#connection.engine.polls.delete(this.#connection.id)
    this.probe?.close()
  }

  /** A GET: answered with the queue, or when something comes. Returns what to call when the requester goes away. */
  poll(reply: Reply): (() => void) | undefined {
    const connection = this.#connection
    if (this.#waiting !== undefined) {
      connection.terminate('overlapping polls')
      reply(badRequest('overlapping polls'))
      return undefined
    }
    this.#waiting = reply
    this.flush()
    if (this.isUpgrading && this.#waiting !== undefined) setTimeout(() => this.release(), RELEASE_AFTER_MS)
    return () => {
      if (this.#waiting !== reply) return
      this.#waiting = undefined
      connection.terminate('transport error')
    }
  }

  /** A POST with its whole body: each packet of the payload is received in order. */
  post(body: string, reply: Reply): void {
    const connection = this.#connection
    for (const packet of body.split(SEPARATOR)) {
      if (connection.closed) break
      if (!receivePacket(connection, packet)) {
        connection.terminate('parse error')
        reply(badRequest('parse error'))
        return
      }
    }
    reply(textResponse('ok'))
  }
}
