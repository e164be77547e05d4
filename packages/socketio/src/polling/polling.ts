import type { WebSocket } from 'uWebSockets.js'
import type { Counters } from '../counters.ts'
import type { EngineSettings } from '../engine/engine-settings.ts'
import { badRequest, type Reply, textResponse } from './answer.ts'
import { packetsOf, SEPARATOR } from './payload.ts'
import type { PollRequest, PollResponse } from './poll-owner.ts'

/** About the largest response to a poll, so that it fits into a bus message; a larger packet goes alone. */
const POLL_BYTES = 262_144
/** While an upgrade is in progress, a poll is sent home after this long (ms), as the reference server does it. */
const RELEASE_AFTER_MS = 100
/** How long (ms) a session is kept after its client asked to close, for a poll that the post has overtaken. */
const REMEMBER_CLOSED_MS = 2_000

/** The identity of a poll: see PollRequest. */
type Asked = Pick<PollRequest, 'poll' | 'via'>

/** A session as its long-polling part sees it. */
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

/** The long-polling part of a session: the bounded queue, and the request that waits. */
export class Polling {
  readonly #session: PolledSession
  #queue: string[] = []
  #bytes = 0
  #waiting: Reply | undefined
  /** The poll that waits, or was the last one to wait. */
  #asked: Asked | undefined
  /** The last response, kept until the client's next poll shows that it arrived. */
  #response: PollResponse | undefined
  #ending = false
  /** The last packet of an ending session: a close, or a noop when the client closed it itself. */
  #farewell: '1' | '6' = '1'
  /** The WebSocket that is being probed to take over, and its timeout. */
  probe: WebSocket<unknown> | undefined
  #probeTimer: NodeJS.Timeout | undefined
  /** Until when (ms) an upgrade may be completed after its probe; polls meanwhile get a noop. */
  #upgradingUntil = 0
  /** The client is on a WebSocket of another node: its own polls and posts are refused. */
  bridged = false
  /** A post is being read. */
  posting = false

  constructor(session: PolledSession) {
    this.#session = session
    this.#waiting = undefined
    this.#asked = undefined
    this.#response = undefined
    this.probe = undefined
    this.#probeTimer = undefined
  }

  /** Queues a packet; with more than `maxBufferedBytes` before it, the session ends as a slow reader. */
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

  /** Responds to the waiting poll with the queue, or with the close that follows it. */
  flush(): void {
    const reply = this.#waiting
    if (reply === undefined || (this.#queue.length === 0 && !this.#ending)) return
    this.#waiting = undefined
    if (this.#queue.length > 0) {
      this.#response = textResponse(this.#take().join(SEPARATOR))
      reply(this.#response)
    } else {
      // Never together with other packets: the stock client closes before it has read them.
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

  /** Responds to a waiting poll with a noop, so that the client can pause polling (Engine.IO protocol, section "Upgrade"). */
  release(): void {
    if (this.#waiting === undefined) return
    if (this.#queue.length === 0) this.#queue.push('6')
    this.flush()
  }

  /** Closes the client after the queue: the session serves polls until the client has the close. */
  end(withinMS = this.#session.engine.pingTimeoutMS): void {
    this.#ending = true
    this.flush()
    setTimeout(() => this.#forget(), withinMS).unref()
  }

  /** The client asked to close: its poll, which may overtake or follow the request, ends with a noop. */
  closedByClient(): void {
    this.takeAll()
    this.#farewell = '6'
    this.end(REMEMBER_CLOSED_MS)
    this.#session.ended('transport close')
  }

  /** The size of the queue. */
  get bytes(): number {
    return this.#bytes
  }

  get isUpgrading(): boolean {
    return performance.now() < this.#upgradingUntil
  }

  /** A WebSocket was opened to take over. */
  probedBy(ws: WebSocket<unknown>): void {
    this.probe = ws
    this.#probeTimer = setTimeout(() => ws.end(1000, 'upgrade timeout'), this.#session.engine.upgradeTimeoutMS)
  }

  /** A probe got its response. */
  startUpgrade(): void {
    this.#upgradingUntil = performance.now() + this.#session.engine.upgradeTimeoutMS
    this.release()
  }

  /** The probe is gone, or has taken over. */
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
   * A GET: gets the queue, at once or when there is something. One that comes again by another node, because a proxy did not
   * get the response from the first, takes its place. Returns the function to call when the requester goes away.
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

  /** A POST with its whole body: each packet of the payload is received in order. */
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
