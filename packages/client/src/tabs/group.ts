import { randomID } from '../random-id.ts'
import type { Browser, Channel } from './browser.ts'
import type { FollowerMessage, OfLeader, TabMessage } from './messages.ts'

interface GroupEvents {
  /** This tab holds the lock, and leads. */
  onLead: () => void
  /** Another tab stole the lock because this one had not responded. */
  onLost: () => void
  /** The browser refuses the lock. */
  onRefused: () => void
  onMessage: (message: TabMessage) => void
}

type OfLeaderUnsent = OfLeader extends infer M ? (M extends OfLeader ? Omit<M, 'from'> : never) : never

/** The error of a lock that was stolen or is no longer wanted. */
const isAbort = (error: unknown): boolean => (error as { name?: string }).name === 'AbortError'

/** The tabs that share a connection: a channel, a lock for the leader, and a lock per tab that shows its presence. */
export class Group {
  readonly id: string = randomID()
  readonly #browser: Browser
  readonly #name: string
  readonly #on: GroupEvents
  readonly #channel: Channel
  /** Aborted when this tab leaves the group. */
  readonly #stay = new AbortController()
  /** Aborts the wait for the lock. */
  #wait: AbortController | undefined
  #release: (() => void) | undefined

  constructor(browser: Browser, name: string, on: GroupEvents) {
    this.#browser = browser
    this.#name = name
    this.#on = on
    this.#channel = browser.openChannel(name)
    this.#channel.addEventListener('message', ({ data }) => on.onMessage(data as TabMessage))
    void browser.locks.request(this.#lockOf(this.id), {}, () => this.#left()).catch(() => undefined)
    this.queue()
  }

  /** Queues for the lock, to lead once it is free. */
  queue(): void {
    const wait = new AbortController()
    this.#wait = wait
    this.#request({ signal: wait.signal }, () => wait.signal.aborted)
  }

  /** Releases the lock, so that another tab can lead. */
  release(): void {
    this.#release?.()
  }

  /** Takes the lock from a leader that does not respond, such as a frozen tab. */
  steal(): void {
    this.#wait?.abort()
    this.#request({ steal: true }, () => false)
  }

  post(message: FollowerMessage | OfLeaderUnsent): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has no target origin
    if (!this.#stay.signal.aborted) this.#channel.postMessage({ from: this.id, ...message })
  }

  /** Calls `then` when another tab was closed or has crashed. */
  whenGone(tab: string, then: () => void): void {
    const work = async () => {
      if (!this.#stay.signal.aborted) then()
    }
    void this.#browser.locks.request(this.#lockOf(tab), { signal: this.#stay.signal }, work).catch(() => undefined)
  }

  leave(): void {
    this.#wait?.abort()
    this.#stay.abort()
    this.#channel.close()
  }

  #request(options: Parameters<Browser['locks']['request']>[1], isOver: () => boolean): void {
    const lead = async () => {
      if (this.#stay.signal.aborted || isOver()) return
      const released = new Promise<void>((resolve) => (this.#release = resolve))
      this.#on.onLead()
      await Promise.race([this.#left(), released])
    }
    this.#browser.locks.request(this.#name, options, lead).catch((error: unknown) => {
      if (this.#stay.signal.aborted || isOver()) return
      if (isAbort(error)) this.#on.onLost()
      else this.#on.onRefused()
    })
  }

  #lockOf(tab: string): string {
    return `${this.#name}.${tab}`
  }

  /** Settles when this tab leaves the group. */
  #left(): Promise<void> {
    const { signal } = this.#stay
    return new Promise((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}
