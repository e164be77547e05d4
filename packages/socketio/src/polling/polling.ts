import type { WebSocket } from 'uWebSockets.js'
import type { Counters } from '../counters.ts'
import type { EngineSettings } from '../engine/engine-settings.ts'
import { badRequest, type Reply, textResponse } from './answer.ts'
import { packetsOf, SEPARATOR } from './payload.ts'
import type { PollRequest, PollResponse } from './poll-owner.ts'

/** Approximate maximum of a poll response, so that it fits into a bus message; a larger packet goes alone. */
const POLL_BYTES = 262_144
/** During an upgrade, a poll is answered after this long (ms), like in the reference server. */
const RELEASE_AFTER_MS = 100
/** How long (ms) a session is kept after its client's close, for a poll that the post has overtaken. */
const REMEMBER_CLOSED_MS = 2_000

/** The identity of a poll: see PollRequest. */
type Asked = Pick<PollRequest, 'poll' | 'via'>

/** A session, from the view of long-polling. */
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
  /** Until when (ms) an upgrade may complete after its probe; meanwhile polls get a noop. */
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

  /** Queues a packet; if more than `maxBufferedBytes` are ahead of it, ends the session as a slow reader. */
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

  /** Responds to the waiting poll with the queue, or with the close after it. */
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

  /** The client requested to close: its poll, which can overtake or follow the request, ends with a noop. */
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

  /** A probe was answered. */
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
   * A GET: returns the queue, at once or when it fills. A repeat through another node, because a proxy lost the first response,
   * replaces the first. Returns the function to call when the requester leaves.
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
