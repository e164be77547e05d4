import type { WebSocket } from 'uWebSockets.js'
import type { PollResponse } from './answer.ts'
import type { PollOwner } from './poll-owner.ts'
import type { PollRequest } from './serve-poll.ts'

const SEPARATOR = '\x1e'

/**
 * A WebSocket whose session another node holds. The owner goes on seeing a polling session: this node polls it on the
 * client's behalf (TAKE) and posts what the client sends (PUSH), so that nothing of the session has to move.
 */
export class Bridge {
  readonly #owner: PollOwner
  readonly #node: string
  readonly #sid: string
  readonly #limit: number
  readonly #gone = new AbortController()
  ws: WebSocket<unknown> | undefined
  closeReason: string | undefined
  #unsent: string[] = []
  #unsentBytes = 0
  #pushing = false
  #taken = false

  /** `limit` bounds what waits for the owner, in bytes. */
  constructor(owner: PollOwner, node: string, sid: string, limit: number) {
    this.#owner = owner
    this.#node = node
    this.#sid = sid
    this.#limit = limit
    this.ws = undefined
    this.closeReason = undefined
  }

  opened(ws: WebSocket<unknown>): void {
    this.ws = ws
  }

  /** The WebSocket is gone: the owner hears it as a poll that was given up. */
  closed(): void {
    this.ws = undefined
    this.#gone.abort()
  }

  /** A packet of the client, in the text form of polling. */
  receive(packet: string): void {
    if (this.#taken) this.#push(packet)
    else if (packet === '2probe') this.#ask('PROBE', '', () => this.ws?.send('3probe', false))
    else if (packet === '5') {
      this.#taken = true
      this.#take()
    } else this.end('parse error')
  }

  end(reason: string): void {
    this.ws?.end(1000, reason)
  }

  #take(): void {
    this.#ask('TAKE', '', ({ body }) => {
      const ws = this.ws
      if (ws === undefined || this.closeReason !== undefined) return
      let ended = false
      ws.cork(() => {
        for (const packet of body.split(SEPARATOR)) {
          if (packet === '1') ended = true
          else if (packet.startsWith('b')) ws.send(Buffer.from(packet.slice(1), 'base64'), true)
          else if (packet !== '6') ws.send(packet, false)
        }
      })
      if (ended) this.end('transport close')
      else this.#take()
    })
  }

  #push(packet: string): void {
    this.#unsent.push(packet)
    this.#unsentBytes += packet.length
    if (this.#unsentBytes > this.#limit) this.end('too much at once')
    else if (!this.#pushing) this.#pushAll()
  }

  #pushAll(): void {
    this.#pushing = this.#unsent.length > 0
    if (!this.#pushing) return
    const body = this.#unsent.join(SEPARATOR)
    this.#unsent = []
    this.#unsentBytes = 0
    this.#ask('PUSH', body, () => this.#pushAll())
  }

  #ask(method: PollRequest['method'], body: string, answered: (response: PollResponse) => void): void {
    const failed = () => this.end('session out of reach')
    const asked = this.#owner(this.#node, { method, sid: this.#sid, body }, this.#gone.signal)
    asked.then((response) => (response.status === 200 ? answered(response) : failed()), failed)
  }
}
