import { type ConnectionState, finalCodes, isConnected } from '../connection/connection-state.ts'
import { asParleyError, isTransient, networkError, type ParleyError } from '../parley-error.ts'
import { createBackoff } from '../pauses.ts'
import { retryTransient } from '../retry-transient.ts'
import type { ShareOptions } from './client-tabs.ts'
import { digest } from './digest.ts'
import { type FollowerMessage, type OfLeader, type SharedLogin, type SharedState, toError } from './messages.ts'

interface FollowerOptions extends ShareOptions {
  self: string
  post: (message: FollowerMessage) => void
  setState: (state: ConnectionState) => void
  state: () => ConnectionState
  /** Called if the connection is another user's. */
  onOthers: () => void
  onStopped: (error: ParleyError) => void
}

/** State that a tab keeps while it switches between following and leading. */
export interface Known {
  /** Server time up to which everything is known; 0 before the first login. */
  since: number
  /** The user, once the server has confirmed it. */
  user: string | undefined
  /** The latest leader's term. */
  term: number
}

interface Emitted {
  resolve: (result: unknown) => void
  reject: (error: ParleyError) => void
}

/** A tab that gets events from another tab's connection, and emits over it. */
export class Follower {
  readonly #options: FollowerOptions
  readonly #known: Known
  readonly #emitted = new Map<number, Emitted>()
  #lastID = 0
  readonly #backoff = createBackoff(300, 20_000)
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Counts state changes: work started before the latest one stops. */
  #attempt = 0
  #login = 0
  #latestMS = 0
  /** Number of the leader's latest event in this term; undefined before its first message. */
  #events: number | undefined
  /** Whether it has every event since the connection began. */
  #isWhole = false
  /** Whether the events are known to be this user's. */
  #isTrusted = false

  constructor(options: FollowerOptions, known: Known) {
    this.#options = options
    this.#known = known
    this.hello()
  }

  /** Asks the leader for the state of the connection. */
  hello(): void {
    this.#begin({ status: 'connecting' })
    this.#isWhole = false
    this.#events = undefined
    this.#login = 0
    this.#options.post({ type: 'hello' })
  }

  heard(message: OfLeader): void {
    const { term, events } = message
    const expected = (this.#events ?? events) + (this.#events !== undefined && message.type === 'event' ? 1 : 0)
    if (term > this.#known.term) this.#followNew(term)
    // Events were missed, for instance while the page was in the back/forward cache.
    else if (events !== expected) return this.hello()
    this.#events = events
    if (message.type === 'event') this.#handleEvent(message.name, message.payload)
    else if (message.type === 'state') this.#handleState(message)
    else if (message.type === 'ack' && message.to === this.#options.self) this.#handleAck(message)
  }

  /** @throws ParleyError like `Connection.emit` */
  async emit(event: string, payload: unknown): Promise<unknown> {
    const { user } = this.#known
    if (user === undefined || !isConnected(this.#options.state())) throw networkError('not connected')
    // A channel cannot clone proxies, which some frameworks use for state.
    const sent = JSON.parse(JSON.stringify({ payload })) as { payload: unknown }
    const id = ++this.#lastID
    const { timeoutMS } = this.#options.about
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(networkError('timed out'))), timeoutMS)
      const settle = (how: () => void) => {
        clearTimeout(timer)
        this.#emitted.delete(id)
        how()
      }
      this.#emitted.set(id, {
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      })
      this.#options.post({ type: 'emit', id, event, user, ...sent })
    })
  }

  close(): void {
    this.#attempt++
    clearTimeout(this.#timer)
    this.#failEmits()
  }

  #followNew(term: number): void {
    this.#known.term = term
    this.#login = 0
    this.#isWhole = false
    this.#begin({ status: 'connecting' })
  }

  /** Enters a state without events. */
  #begin(state: ConnectionState): void {
    this.#attempt++
    clearTimeout(this.#timer)
    this.#failEmits()
    this.#options.setState(state)
  }

  /** Fails pending emits: as with a broken connection, their outcome is unknown. */
  #failEmits(): void {
    for (const { reject } of this.#emitted.values()) reject(networkError('the connection was lost'))
  }

  #handleEvent(name: string, payload: unknown): void {
    if (!this.#isTrusted) return
    if (name === 'serverTime') {
      this.#latestMS = (payload as { serverTimeMS: number }).serverTimeMS
      if (this.#options.state().status === 'online') this.#known.since = this.#latestMS
    }
    this.#options.about.onEvent(name, payload)
  }

  #handleAck({ id, result, error }: OfLeader & { type: 'ack' }): void {
    const emitted = this.#emitted.get(id)
    if (error) emitted?.reject(toError(error))
    else emitted?.resolve(result)
  }

  #handleState({ state, login, user, refused, to }: SharedState & { to?: string }): void {
    if (to !== undefined && to !== this.#options.self) return
    if (login) {
      if (login.count !== this.#login) void this.#join(login)
      return
    }
    this.#login = 0
    this.#isTrusted = user !== undefined && user === this.#known.user
    if (state.status === 'connecting') this.#isWhole = to === undefined
    if (state.status === 'waiting') this.#wait(toError(state.error), state.retryAtMS)
    else if (state.status === 'stopped') void this.#leaderStopped(toError(state.error), refused)
    else this.#begin({ status: 'connecting' })
  }

  /** Wakes the leader at the retry time, since browsers throttle timers of hidden tabs. */
  #wait(error: ParleyError, retryAtMS: number): void {
    this.#begin({ status: 'waiting', error, retryAtMS })
    this.#timer = setTimeout(() => this.#options.post({ type: 'wake' }), retryAtMS - Date.now())
  }

  /** Stops too if this tab has the refused token. With another token, it waits for its turn to lead. */
  async #leaderStopped(error: ParleyError, refused: string | undefined): Promise<void> {
    this.#begin({ status: 'connecting' })
    const attempt = this.#attempt
    const token = await this.#options.about.tokens.get().catch(() => undefined)
    const isRefused = token !== undefined && (await digest(token)) === refused
    if (attempt === this.#attempt && isRefused) this.#options.onStopped(error)
  }

  /** Brings this tab up to date after a login of the connection. */
  async #join({ count, result, since, knownMS }: SharedLogin): Promise<void> {
    this.#begin({ status: 'connecting' })
    const attempt = this.#attempt
    const isCurrent = () => attempt === this.#attempt
    const { about, setState, onOthers } = this.#options
    const known = this.#known
    this.#login = count
    this.#latestMS = knownMS
    const hasHeardAll = this.#isTrusted && this.#isWhole && known.since > 0 && since <= known.since
    const resumed = hasHeardAll && result.resumed === true
    try {
      if (result._id !== known.user || !this.#isTrusted) await retryTransient(() => this.#prove(result), isCurrent)
      if (!isCurrent()) return
      if (!this.#isTrusted) return onOthers()
      setState({ status: 'syncing' })
      await retryTransient(() => about.onLogin({ ...result, resumed }), isCurrent)
      if (!isCurrent()) return
      this.#isWhole = true
      known.since = this.#latestMS
      this.#backoff.reset()
      setState({ status: 'online' })
    } catch (thrown) {
      if (isCurrent()) this.#failed(asParleyError(thrown))
    }
  }

  /** Verifies that the connection's user is the user of this tab's token. */
  async #prove({ _id, clientKey }: SharedLogin['result']): Promise<void> {
    const { about, readUser } = this.#options
    this.#isTrusted = false
    if ((about.clientKey() ?? clientKey) !== clientKey) return
    const me = await readUser(clientKey).catch((error: unknown) => {
      // This tab's token may belong to another app, whose client key is unknown here.
      if (about.clientKey() === undefined && !isTransient(error)) return undefined
      throw error
    })
    this.#isTrusted = me?._id === _id
    this.#known.user = me?._id
  }

  #failed(error: ParleyError): void {
    if (finalCodes.includes(error.code)) return this.#options.onStopped(error)
    const pauseMS = this.#backoff.next(error)
    this.#begin({ status: 'waiting', error, retryAtMS: Date.now() + pauseMS })
    this.#timer = setTimeout(() => this.hello(), pauseMS)
  }
}
