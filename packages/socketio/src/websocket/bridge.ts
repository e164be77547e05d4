import type { WebSocket } from 'uWebSockets.js'
import { type Counters, count } from '../counters.ts'
import type { EngineSettings } from '../engine/engine-settings.ts'
import type { Owner } from '../engine/session-id.ts'
import { packetsOf, SEPARATOR } from '../polling/payload.ts'
import type { PollRequest, PollResponse } from '../polling/poll-owner.ts'

type Engine = Pick<EngineSettings, 'maxPayload' | 'maxBufferedBytes' | 'upgradeTimeoutMS'> & {
  counters: Counters
  bridges: Set<Bridge>
  onBridgeOpen: (address: string) => void
  onBridgeClose: (address: string) => void
}

/** Limit of buffered client packets, in posts of maximum size. */
const maxPosts = 4

/**
 * A WebSocket for a session on another node. For the owner, the session stays on polling: this node polls for the
 * client (TAKE) and posts the client's packets (PUSH), so the session does not move.
 */
export class Bridge {
  readonly #engine: Engine
  readonly #owner: Owner
  readonly #sid: string
  readonly #address: string
  readonly #gone = new AbortController()
  ws: WebSocket<unknown> | undefined
  closeReason: string | undefined
  #deadline: NodeJS.Timeout | undefined
  #step: 'opened' | 'probed' | 'taken' = 'opened'
  #unsent: string[] = []
  #unsentBytes = 0
  #pushing = false
  /** Pulling is paused until the client has read more. */
  #isFull = false
  /** The server closed the connection, so the client's buffered packets are still delivered. */
  #isClosing = false
  /** The owner has ended the session, or is unreachable. */
  #isOver = false

  constructor(engine: Engine, owner: Owner, sid: string, address: string) {
    this.#engine = engine
    this.#owner = owner
    this.#sid = sid
    this.#address = address
  }

  opened(ws: WebSocket<unknown>): void {
    const { counters, bridges, upgradeTimeoutMS, onBridgeOpen } = this.#engine
    this.ws = ws
    this.#deadline = setTimeout(() => this.end('upgrade timeout'), upgradeTimeoutMS)
    counters.connections.bridge++
    bridges.add(this)
    onBridgeOpen(this.#address)
    this.#ask('HOLDS', '', ({ body }) => {
      if (body !== 'polling') this.end(body === 'ended' ? 'session out of reach' : 'upgraded already')
    })
  }

  /** The WebSocket closed: sends the owner the client's buffered packets, then a close. */
  closed(): void {
    const { counters, bridges, onBridgeClose } = this.#engine
    this.ws = undefined
    clearTimeout(this.#deadline)
    counters.connections.bridge--
    bridges.delete(this)
    onBridgeClose(this.#address)
    // The owner counts the end of the session; a bridge that never took over is not counted.
    const { closeReason } = this
    if (this.#step === 'taken' && closeReason !== undefined && closeReason !== 'transport close') {
      count(counters.closes, closeReason)
    }
    if (this.#step !== 'taken' || this.#isOver) return this.#gone.abort()
    // Drop packets of a client whose fault closed the connection.
    if (this.closeReason !== undefined && !this.#isClosing) this.#unsent = []
    this.#unsent.push('1')
    if (!this.#pushing) this.#pushAll()
  }

  /** A packet of the client, in the text form of polling. */
  receive(packet: string): void {
    if (this.#step === 'taken') this.#push(packet)
    else if (this.#step === 'opened' && packet === '2probe') {
      this.#step = 'probed'
      this.#ask('PROBE', '', () => this.ws?.send('3probe', false))
    } else if (this.#step === 'probed' && packet === '5') {
      this.#step = 'taken'
      clearTimeout(this.#deadline)
      this.#take()
    } else this.end('parse error')
  }

  /** Closes the WebSocket, so that the stock client reconnects. The owner gets the client's buffered packets. */
  closeTransport(reason: string): void {
    this.#isClosing = true
    this.end(reason)
  }

  end(reason: string): void {
    if (this.ws === undefined) return
    this.closeReason = reason
    this.ws.end(1000, reason)
  }

  #endOver(reason: 'transport close' | 'session out of reach'): void {
    this.#isOver = true
    if (this.ws !== undefined) this.end(reason)
    // The close did not reach the owner; the abort tells it that the bridge is gone.
    else this.#gone.abort()
  }

  #take(): void {
    this.#ask('TAKE', '', ({ body }) => {
      const ws = this.ws
      if (ws === undefined || this.closeReason !== undefined) return
      let ended = false
      ws.cork(() => {
        for (const packet of packetsOf(body)) {
          if (packet === '1') ended = true
          else if (packet.startsWith('b')) ws.send(Buffer.from(packet.slice(1), 'base64'), true)
          else if (packet !== '6') ws.send(packet, false)
        }
      })
      this.#isFull = !ended
      if (ended) this.#endOver('transport close')
      else this.drained()
    })
  }

  /** Resume pulling once the buffer drains; the owner keeps the backlog. */
  drained(): void {
    const { ws } = this
    if (!this.#isFull || ws === undefined || ws.getBufferedAmount() > this.#engine.maxBufferedBytes / 4) return
    this.#isFull = false
    this.#take()
  }

  #push(packet: string): void {
    this.#unsent.push(packet)
    this.#unsentBytes += packet.length
    if (this.#unsentBytes > maxPosts * this.#engine.maxPayload) this.end('too much at once')
    else if (!this.#pushing) this.#pushAll()
  }

  #pushAll(): void {
    this.#pushing = this.#unsent.length > 0
    if (!this.#pushing) return
    // Batch up to the size of a post, so that it fits into a bus message.
    const { maxPayload } = this.#engine
    let [size, count] = [0, 0]
    for (const { length } of this.#unsent) {
      if (count > 0 && size + length >= maxPayload) break
      size += length
      count++
    }
    const body = this.#unsent.splice(0, count).join(SEPARATOR)
    this.#unsentBytes -= size
    this.#ask('PUSH', body, () => this.#pushAll())
  }

  #ask(method: PollRequest['method'], body: string, answered: (response: PollResponse) => void): void {
    const failed = () => this.#endOver('session out of reach')
    const { node, reach } = this.#owner
    const asked = reach(node, { method, sid: this.#sid, body }, this.#gone.signal)
    asked.then((response) => (response.status === 200 ? answered(response) : failed()), failed)
  }
}
