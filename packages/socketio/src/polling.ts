import type { WebSocket } from 'uWebSockets.js'
import type { Carried, Connection } from './connection.ts'
import { count } from './counters.ts'

/** A poll or post as the session's owner sees it, wherever it came in. All fields survive JSON. */
export type PollRequest = { method: 'GET' | 'POST'; sid: string; body: string }
/** Its answer. `headers` has the content type; CORS headers are added by the
 * node that talks to the client. `error` is the message of an error answer. */
export type PollResponse = { status: number; headers: Record<string, string>; body: string; error?: string }
export type Reply = (response: PollResponse) => void

const SEPARATOR = '\x1e'
const TEXT = { 'Content-Type': 'text/plain; charset=UTF-8' }

export function textResponse(body: string): PollResponse {
  return { status: 200, headers: TEXT, body }
}

/** Engine.IO's error body; codes as in the reference server. */
export function errorResponse(status: number, code: number, message: string): PollResponse {
  const body = JSON.stringify({ code, message })
  return { status, headers: { 'Content-Type': 'application/json' }, body, error: message }
}

export const unknownSession = (): PollResponse => errorResponse(400, 1, 'Session ID unknown')
export const badRequest = (message = 'Bad request'): PollResponse => errorResponse(400, 3, message)

/** What a session on long-polling has beside its connection: the bounded queue and the request that waits for it. */
export class Polling<S> {
  readonly #connection: Connection<S>
  #queue: string[] = []
  #bytes = 0
  #waiting: Reply | undefined
  #ending = false
  /** The WebSocket that is being probed to take over. */
  probe: WebSocket<Carried<S>> | undefined
  /** Set once the probe was answered: polls are then sent home at once with a noop. */
  upgrading = false

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

  /** Answers the waiting poll with what is queued, if both are there. */
  flush(): void {
    if (this.#waiting === undefined || this.#queue.length === 0) return
    const reply = this.#waiting
    this.#waiting = undefined
    reply(textResponse(this.takeAll().join(SEPARATOR)))
    if (this.#ending) this.#forget()
  }

  /** Empties the queue. */
  takeAll(): string[] {
    const packets = this.#queue
    this.#queue = []
    this.#bytes = 0
    return packets
  }

  /** Sends a waiting poll home so that the client can pause polling (Engine.IO protocol, section "Upgrade"). */
  release(): void {
    if (this.#waiting === undefined) return
    if (this.#queue.length === 0) this.#queue.push('6')
    this.flush()
  }

  /** Tells the client to close, after what is queued. The session answers one more poll with it. */
  end(): void {
    this.#ending = true
    this.#queue.push('1')
    if (this.#waiting === undefined) setTimeout(() => this.#forget(), this.#connection.engine.pingTimeoutMs).unref()
    else this.flush()
    this.probe?.close()
  }

  /** Forgets queue and session; a waiting poll is answered with a close. */
  abandon(): void {
    this.takeAll()
    this.#queue.push('1')
    this.flush()
    this.#forget()
    this.probe?.close()
  }

  #forget(): void {
    this.#connection.engine.polls.delete(this.#connection.id)
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
    if (this.upgrading) this.release()
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

  /** The client asked to close: a waiting poll ends with a noop. */
  closedByClient(): void {
    this.takeAll()
    this.release()
    this.#forget()
    this.probe?.close()
    this.#connection.ended('transport close')
  }
}

/** Handles one text packet of an open session, other than the probe; false when it is not of the protocol. */
export function receivePacket<S>(connection: Connection<S>, packet: string): boolean {
  const { engine } = connection
  engine.counters.packetsIn++
  switch (packet.charCodeAt(0)) {
    case 0x34:
      engine.onMessage(connection, packet.slice(1))
      return true
    case 0x33:
      engine.heartbeat.alive(connection)
      return true
    case 0x31:
      if (connection.polling !== undefined) connection.polling.closedByClient()
      else connection.close('transport close')
      return true
    case 0x36:
      return packet === '6'
    case 0x62:
      if (connection.polling === undefined) return false
      engine.onMessage(connection, Buffer.from(packet.slice(1), 'base64'))
      return true
    default:
      return false
  }
}

/** Serves a poll or post for a session that is held here. Returns what to call when the requester goes away. */
export function servePoll<S>(
  polls: Map<string, Connection<S>>,
  request: PollRequest,
  reply: Reply,
): (() => void) | undefined {
  const connection = polls.get(request.sid)
  const polling = connection?.polling
  if (connection === undefined || polling === undefined) {
    reply(unknownSession())
    return undefined
  }
  if (!connection.closed && connection.engine.heartbeat.isOverdue(connection)) {
    connection.terminate('ping timeout')
    reply(unknownSession())
    return undefined
  }
  if (request.method === 'GET') return polling.poll(reply)
  if (connection.closed) reply(unknownSession())
  else polling.post(request.body, reply)
  return undefined
}

/** Counts an error answer by its message. */
export function countRefusal(refused: Record<string, number>, response: PollResponse): void {
  if (response.error !== undefined) count(refused, response.error)
}
