import type { WebSocket } from 'uWebSockets.js'
import type { Counters } from '../counters.ts'
import type { EngineSettings } from '../engine/engine-settings.ts'
import { badRequest, type Reply, textResponse } from './answer.ts'
import { packetsOf, SEPARATOR } from './payload.ts'
import type { PollRequest, PollResponse } from './poll-owner.ts'

/** Approximate maximum size of a poll response, so that it fits into a bus message. A larger packet is sent alone. */
const POLL_BYTES = 262_144
/** During an upgrade, polls are answered after this long (ms), as in the reference server. */
const RELEASE_AFTER_MS = 100
/** How long (ms) a session is kept after the client's close, for a poll that arrives after it. */
const REMEMBER_CLOSED_MS = 2_000

type Asked = Pick<PollRequest, 'poll' | 'via'>

/** The parts of a session that long-polling uses. */
export interface PolledSession {
  readonly closed: boolean
  readonly engine: Pick<EngineSettings, 'maxBufferedBytes' | 'pingTimeoutMS' | 'upgradeTimeoutMS'> & {
    counters: Counters
  }
  receive(packet: string): boolean
  flushSoon(): void
  terminate(reason: string): void
  ended(reason: string): void
  forget(): void
}

/** The long-polling part of a session: the bounded queue, and the waiting request. */
export class Polling {
  readonly #session: PolledSession
  #queue: string[] = []
  #bytes = 0
  #waiting: Reply | undefined
  /** The waiting poll, or the last one to wait. */
  #asked: Asked | undefined
  /** The last response, kept until the client's next poll shows that it arrived. */
  #response: PollResponse | undefined
  #ending = false
  /** The last packet of an ending session: a close, or a noop if the client closed it. */
  #farewell: '1' | '6' = '1'
  /** The WebSocket being probed to take over, and its timeout. */
  probe: WebSocket<unknown> | undefined
  #probeTimer: NodeJS.Timeout | undefined
  /** Deadline (ms) of an upgrade after its probe; until then, polls get a noop. */
  #upgradingUntil = 0
  /** The client is on a WebSocket of another node, so its own polls and posts are refused. */
  bridged = false
  /** A post is being read. */
  posting = false

  constructor(session: PolledSession) {
    this.#session = session
  }

  /** Queues a packet. If more than `maxBufferedBytes` are queued already, ends the session as a slow reader. */
  push(packet: string): void {
    const { engine } = this.#session
    const before = this.#bytes
    this.#bytes += Buffer.byteLength(packet) + 1
    this.#queue.push(packet)
    if (before > engine.maxBufferedBytes) {
      engine.counters.drops += this.#queue.length
      this.#session.terminate('slow reader')
    } else if (this.#waiting !== undefined) this.#session.flushSoon()
  }

  /** Responds to the waiting poll with the queue, or with the close if the queue is empty. */
  flush(): void {
    const reply = this.#waiting
    if (reply === undefined || (this.#queue.length === 0 && !this.#ending)) return
    this.#waiting = undefined
    if (this.#queue.length > 0) {
      this.#response = textResponse(this.#take().join(SEPARATOR))
      reply(this.#response)
    } else {
      // Never with other packets: the stock client would close before reading them.
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

  /**
   * Responds to a waiting poll with a noop, so that the client can pause polling (Engine.IO protocol, section
   * "Upgrade").
   */
  release(): void {
    if (this.#waiting === undefined) return
    if (this.#queue.length === 0) this.#queue.push('6')
    this.flush()
  }

  /** Sends the close after the queue. The session serves polls until the client has got it. */
  end(withinMS = this.#session.engine.pingTimeoutMS): void {
    this.#ending = true
    this.flush()
    setTimeout(() => this.#forget(), withinMS).unref()
  }

  /** The client sent a close. Its poll, which can arrive before or after it, gets a noop. */
  closedByClient(): void {
    this.takeAll()
    this.#farewell = '6'
    this.end(REMEMBER_CLOSED_MS)
    this.#session.ended('transport close')
  }

  /** The size of the queue in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  get isUpgrading(): boolean {
    return performance.now() < this.#upgradingUntil
  }

  /** Call when a WebSocket is opened to take over. */
  probedBy(ws: WebSocket<unknown>): void {
    this.probe = ws
    this.#probeTimer = setTimeout(() => ws.end(1000, 'upgrade timeout'), this.#session.engine.upgradeTimeoutMS)
  }

  /** Call when a probe is answered. */
  startUpgrade(): void {
    this.#upgradingUntil = performance.now() + this.#session.engine.upgradeTimeoutMS
    this.release()
  }

  /** Call when the probe is gone, or has taken over. */
  stopUpgrade(): void {
    clearTimeout(this.#probeTimer)
    this.probe = undefined
    this.#upgradingUntil = 0
  }

  /** Removes queue and session; a waiting poll gets a close. */
  abandon(): void {
    this.takeAll()
    this.#ending = true
    this.flush()
    this.#forget()
  }

  #forget(): void {
    this.#session.forget()
    this.probe?.close()
  }

  /**
   * Serves a GET with the queue, at once or when it fills. If a proxy repeats a poll through another node because it
   * lost the first response, the repeat replaces the first poll. Returns a function to call when the requester leaves.
   */
  poll(reply: Reply, asked: Asked = {}): (() => void) | undefined {
    const session = this.#session
    const isRepeat = asked.poll !== undefined && asked.poll === this.#asked?.poll && asked.via !== this.#asked.via
    if (isRepeat && this.#response !== undefined) {
      reply(this.#response)
      return undefined
    }
    if (this.#waiting !== undefined) {
      if (!isRepeat) {
        session.terminate('overlapping polls')
        reply(badRequest('overlapping polls'))
        return undefined
      }
      this.#waiting(textResponse('6'))
    }
    this.#asked = asked
    this.#response = undefined
    this.#waiting = reply
    this.flush()
    if (this.isUpgrading && this.#waiting !== undefined) setTimeout(() => this.release(), RELEASE_AFTER_MS)
    return () => {
      if (this.#waiting !== reply) return
      this.#waiting = undefined
      session.terminate('transport error')
    }
  }

  /** Serves a POST with a complete body: handles each packet in order. */
  post(body: string, reply: Reply): void {
    const session = this.#session
    for (const packet of packetsOf(body)) {
      if (session.closed) break
      if (!session.receive(packet)) {
        session.terminate('parse error')
        reply(badRequest('parse error'))
        return
      }
    }
    reply(textResponse('ok'))
  }
}
