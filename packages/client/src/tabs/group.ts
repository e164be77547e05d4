import { randomID } from '../random-id.ts'
import type { Browser, Channel } from './browser.ts'
import type { FollowerMessage, OfLeader, TabMessage } from './messages.ts'

interface GroupEvents {
  /** This tab has the lock: it leads. */
  onLead: () => void
  /** Another tab took the lock: this one had not answered. */
  onLost: () => void
  /** The browser refuses the lock. */
  onRefused: () => void
  onMessage: (message: TabMessage) => void
}

type OfLeaderUnsent = OfLeader extends infer M ? (M extends OfLeader ? Omit<M, 'from'> : never) : never

/** Of a lock that was stolen, or no longer wanted. */
const isAbort = (error: unknown): boolean => (error as { name?: string }).name === 'AbortError'

/** The tabs that share a connection: a channel, a lock for the one that leads, and one for each while it is there. */
export class Group {
  readonly id: string = randomID()
  readonly #browser: Browser
  readonly #name: string
  readonly #on: GroupEvents
  readonly #channel: Channel
  /** Ends with the stay in the group. */
  readonly #stay = new AbortController()
  /** Ends the wait for the lock. */
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

  /** Waits for its turn to lead. */
  queue(): void {
    const wait = new AbortController()
    this.#wait = wait
    this.#request({ signal: wait.signal }, () => wait.signal.aborted)
  }

  /** Leads no more, and lets another tab. */
  release(): void {
    this.#release?.()
  }

  /** Leads in place of a tab that does not answer, such as a frozen one. */
  steal(): void {
    this.#wait?.abort()
    this.#request({ steal: true }, () => false)
  }

  post(message: FollowerMessage | OfLeaderUnsent): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of this origin
    if (!this.#stay.signal.aborted) this.#channel.postMessage({ from: this.id, ...message })
  }

  /** Calls when another tab is gone: closed, or crashed. */
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
