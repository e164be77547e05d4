import type { Connection } from '../connection/connection.ts'
import type { ConnectionState } from '../connection/connection-state.ts'
import { asParleyError, isTransient, networkError, type ParleyError } from '../parley-error.ts'
import type { Look } from './browser.ts'
import type { ShareOptions } from './client-tabs.ts'
import { digest } from './digest.ts'
import { createEmitsOfTabs, type EmitsOfTabs } from './emits-of-tabs.ts'
import type { Known } from './follower.ts'
import { type LeaderMessage, type OfTab, type SharedLogin, toSentError, toSentState } from './messages.ts'

interface LeaderOptions extends ShareOptions {
  self: string
  post: (message: LeaderMessage & { term: number; events: number }) => void
  whenGone: (tab: string, then: () => void) => void
  reportsAway: boolean
  setState: (state: ConnectionState) => void
  /** Called when the login was refused: this tab stops. */
  onStopped: () => void
  /** Whether the client's token function has not returned a token. */
  isTokenMissing: () => boolean
  /** Called when this tab cannot log in, but another one might. */
  onFailed: (error: ParleyError) => void
}

/** The tab that holds the connection, for itself and the followers. */
export class Leader {
  readonly #options: LeaderOptions
  readonly #known: Known
  readonly #connection: Connection
  readonly #emits: EmitsOfTabs
  readonly #stopFollowing: () => void
  #events = 0
  #logins = 0
  #login: SharedLogin | undefined
  /** Events before the login, which may be another user's. */
  #early: (() => void)[] = []
  #isClosed = false

  constructor(options: LeaderOptions, known: Known) {
    this.#options = options
    this.#known = known
    known.term = Math.max(known.term + 1, Date.now())
    this.#connection = options.connect(this.#shared())
    this.#connection.since = known.since
    const emit = (event: string, payload: unknown) => this.#connection.emit(event, payload)
    this.#emits = createEmitsOfTabs(options.self, { ...options, emit })
    this.#stopFollowing = this.#connection.state.subscribe((state) => this.#changed(state))
    this.#connection.open()
  }

  open(): void {
    this.#connection.open()
  }

  emit(event: string, payload: unknown): Promise<unknown> {
    return this.#emits.emit(this.#options.self, event, payload)
  }

  look(look: Look): void {
    this.#emits.look(this.#options.self, look)
  }

  isLookedAt(): boolean {
    return this.#emits.isLookedAt()
  }

  heard(message: OfTab): void {
    const { from, type } = message
    if (type === 'hello') this.#postState(from)
    else if (type === 'ping') this.#post({ type: 'alive' })
    else if (type === 'wake') this.open()
    else if (type === 'look') this.#emits.look(from, message.look)
    else if (type === 'emit') void this.#emitFor(from, message)
  }

  close(): void {
    this.#isClosed = true
    this.#stopFollowing()
    this.#known.since = this.#connection.since
    this.#connection.close()
  }

  /** Connection options that pass events and logins on to the followers first. */
  #shared() {
    const { about } = this.#options
    return {
      ...about,
      onEvent: (name: string, payload: unknown) => {
        const tell = () => {
          this.#events++
          this.#post({ type: 'event', name, payload })
        }
        if (this.#login) tell()
        else this.#early.push(tell)
        about.onEvent(name, payload)
      },
      onLogin: (result: SharedLogin['result']) => {
        // Connection calls this again if catching up fails.
        if (!this.#login) this.#loggedIn(result)
        return about.onLogin(result)
      },
    }
  }

  #loggedIn(result: SharedLogin['result']): void {
    // Until followers learn of the login, they take events for the previous user's.
    if (this.#known.user === result._id) for (const tell of this.#early) tell()
    this.#early = []
    this.#known.user = result._id
    const { since } = this.#connection
    this.#login = { count: ++this.#logins, result, since, knownMS: result.serverTimeMS }
    this.#emits.loggedIn()
    this.#postState()
  }

  #changed(state: ConnectionState): void {
    const { status } = state
    this.#known.since = this.#connection.since
    if (status !== 'syncing' && status !== 'online') {
      this.#login = undefined
      this.#early = []
    }
    this.#options.setState(state)
    if (status === 'stopped') void this.#stopped()
    else if (status === 'waiting' && (this.#options.isTokenMissing() || !isTransient(state.error)))
      this.#failed(state.error)
    else this.#postState()
  }

  /** Deferred until the connection has finished its state change. */
  #failed(error: ParleyError): void {
    queueMicrotask(() => {
      if (!this.#isClosed) this.#options.onFailed(error)
    })
  }

  async #stopped(): Promise<void> {
    const token = await this.#options.about.tokens.get().catch(() => undefined)
    const refused = token === undefined ? '' : await digest(token)
    if (this.#isClosed) return
    this.#postState(undefined, refused)
    this.#options.onStopped()
  }

  /** @param to the tab that asked; all tabs by default */
  #postState(to?: string, refused?: string): void {
    const state = toSentState(this.#connection.state.get())
    if (state.status === 'stopped' && refused === undefined) return
    const knownMS = Math.max(this.#login?.knownMS ?? 0, this.#connection.since)
    const login = this.#login && { ...this.#login, knownMS }
    this.#post({ type: 'state', state, login, user: this.#known.user, refused, ...(to !== undefined && { to }) })
  }

  async #emitFor(to: string, { id, event, payload, user }: OfTab & { type: 'emit' }): Promise<void> {
    try {
      if (user !== this.#known.user) throw networkError("the connection is another user's")
      this.#post({ type: 'ack', to, id, result: await this.#emits.emit(to, event, payload) })
    } catch (error) {
      this.#post({ type: 'ack', to, id, error: toSentError(asParleyError(error)) })
    }
  }

  #post(message: LeaderMessage): void {
    this.#options.post({ ...message, term: this.#known.term, events: this.#events })
  }
}
