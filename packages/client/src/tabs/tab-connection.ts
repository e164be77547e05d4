import type { Connection } from '../connection/connection.ts'
import type { ConnectionState } from '../connection/connection-state.ts'
import { onNetworkBack } from '../connection/network-back.ts'
import { ParleyError } from '../parley-error.ts'
import { createBackoff } from '../pauses.ts'
import { createStore, type Store } from '../store.ts'
import { type Browser, lookNow, onLook } from './browser.ts'
import type { ShareOptions, UserConnection } from './client-tabs.ts'
import { Follower, type Known } from './follower.ts'
import { Group } from './group.ts'
import { Leader } from './leader.ts'
import type { OfUser, TabMessage } from './messages.ts'
import type { FetchedToken } from './shared-token.ts'

export interface TabConnectionOptions extends ShareOptions {
  browser: Browser
  /** Name of the group; the same in all tabs of the user. */
  name: Promise<string>
  reportsAway: boolean
  /** A leader that does not respond to three pings within this time is replaced. */
  deadAfterMS: number
  /** Whether the client's token function has not returned a token. */
  isTokenMissing: () => boolean
  /** Called with a token from another tab of the user. */
  onToken: (user: string, fetched: FetchedToken) => void
  onTokenWanted: (user: string, sinceMS: number) => void
}

/** Unanswered checks before a leader is replaced. */
const mostAsked = 3

/** The connection of one of a user's tabs. The tab with the lock leads; the others follow it. */
export class TabConnection implements UserConnection {
  readonly #state = createStore<ConnectionState>({ status: 'connecting' })
  readonly state: Store<ConnectionState> = this.#state
  readonly #options: TabConnectionOptions
  readonly #known: Known = { since: 0, user: undefined, term: 0 }
  #group: Group | undefined
  #leader: Leader | undefined
  #follower: Follower | undefined
  /** The tab's own connection, if it does not share one. */
  #own: Connection | undefined
  #isOpening = false
  #isClosed = false
  #timer: ReturnType<typeof setInterval> | undefined
  #asked = 0
  /** Consecutive checks at which the leader had no login for this tab. */
  #stuck = 0
  /** After a failure as leader: runs until this tab queues again. */
  #turn: ReturnType<typeof setTimeout> | undefined
  readonly #backoff = createBackoff(300, 20_000)
  #stops: (() => void)[] = []

  constructor(options: TabConnectionOptions) {
    this.#options = options
  }

  get since(): number {
    return this.#own?.since ?? this.#known.since
  }

  set since(since: number) {
    this.#known.since = since
  }

  open(): void {
    if (this.#own) return this.#own.open()
    if (this.#leader) return this.#leader.open()
    if (!this.#group) return void this.#enter()
    this.#group.post({ type: 'wake' })
    if (this.#turn !== undefined) this.#queue()
    if (this.#state.get().status === 'waiting') this.#follower?.hello()
  }

  close(): void {
    this.#isClosed = true
    this.#end({ status: 'closed' })
  }

  logOut(): void {
    if (this.user !== undefined) this.tell({ type: 'loggedOut', user: this.user })
  }

  emit(event: string, payload: unknown): Promise<unknown> {
    const to = this.#own ?? this.#leader ?? this.#follower
    return to ? to.emit(event, payload) : Promise.reject(new ParleyError('NETWORK_ERROR', 'not connected'))
  }

  /** This tab's user, once verified by its token. */
  get user(): string | undefined {
    return this.#known.user
  }

  async isOfUser(token: string): Promise<boolean> {
    const { user } = this
    const { about, readUser } = this.#options
    const clientKey = about.clientKey()
    return this.#group !== undefined && clientKey !== undefined && (await readUser(clientKey, token))._id === user
  }

  /** Sends a message to the user's other tabs. */
  tell(message: OfUser): void {
    if (message.user === this.user) this.#group?.post(message)
  }

  /** See `Tabs.mayNotify`. */
  mayNotify(): boolean {
    return this.#leader ? !this.#leader.isLookedAt() : !this.#follower && !lookNow().isLookedAt
  }

  async #enter(): Promise<void> {
    if (this.#isOpening) return
    this.#isOpening = true
    this.#state.set({ status: 'connecting' })
    const name = await this.#options.name.catch(() => undefined)
    this.#isOpening = false
    if (this.#isClosed) return
    this.#group = name === undefined ? undefined : this.#join(name)
    if (!this.#group) return this.#goAlone()
    this.#follow()
    this.#stops = [onLook(() => this.#tellLook()), onNetworkBack(() => this.open())]
  }

  /** Undefined if the browser refuses, as Firefox does when cookies are blocked. */
  #join(name: string): Group | undefined {
    try {
      return new Group(this.#options.browser, name, {
        onLead: () => this.#lead(),
        onLost: () => this.#lost(),
        onRefused: () => this.#goAlone(),
        onMessage: (message) => this.#heard(message),
      })
    } catch {
      return undefined
    }
  }

  #follow(): void {
    const group = this.#group
    if (!group) return
    this.#follower = new Follower(
      {
        ...this.#options,
        ...{ self: group.id, setState: this.#setState },
        post: (message) => group.post(message),
        state: this.#state.get,
        onOthers: () => this.#goAlone(),
        onStopped: (error) => this.#end({ status: 'stopped', error }),
      },
      this.#known,
    )
    this.#asked = 0
    this.#stuck = 0
    this.#timer = setInterval(() => this.#watch(), this.#options.deadAfterMS / mostAsked)
    this.#tellLook()
  }

  readonly #setState = (state: ConnectionState): void => {
    if (state.status === 'online') this.#backoff.reset()
    this.#state.set(state)
  }

  /** Replaces a frozen leader. One that responds without a login may be another user's: this tab connects itself. */
  #watch(): void {
    const isStuck = this.user === undefined && this.#state.get().status === 'connecting'
    this.#stuck = isStuck ? this.#stuck + 1 : 0
    if (this.#asked === mostAsked) this.#group?.steal()
    else if (this.#stuck > mostAsked) return this.#goAlone()
    else if (this.#asked > 0) this.#group?.post({ type: 'ping' })
    this.#asked++
  }

  #lead(): void {
    const group = this.#group
    if (!group) return
    this.#unfollow()
    clearTimeout(this.#turn)
    this.#turn = undefined
    this.#leader = new Leader(
      {
        ...this.#options,
        ...{ self: group.id, setState: this.#setState },
        post: (message) => group.post(message),
        whenGone: (tab, then) => group.whenGone(tab, then),
        onStopped: () => this.#end(this.#state.get()),
        onFailed: (error) => this.#yield(error),
      },
      this.#known,
    )
    this.#tellLook()
  }

  /** Lets another tab lead, and queues again after a pause. */
  #yield(error: ParleyError): void {
    this.#leader?.close()
    this.#leader = undefined
    this.#group?.release()
    this.#follow()
    const pauseMS = this.#backoff.next(error)
    this.#setState({ status: 'waiting', error, retryAtMS: Date.now() + pauseMS })
    this.#turn = setTimeout(() => this.#queue(), pauseMS)
  }

  #queue(): void {
    clearTimeout(this.#turn)
    this.#turn = undefined
    this.#group?.queue()
  }

  /** Another tab leads now. */
  #lost(): void {
    if (!this.#leader) return
    this.#leader.close()
    this.#leader = undefined
    this.#group?.queue()
    this.#follow()
  }

  #heard(message: TabMessage): void {
    if (message.type === 'loggedOut' || message.type === 'token' || message.type === 'tokenWanted')
      return message.user === this.user ? this.#handleOfUser(message) : undefined
    if (!('term' in message)) return this.#leader?.heard(message)
    if (message.term < this.#known.term) return
    const isNew = message.term > this.#known.term
    if (this.#leader && isNew) this.#lost()
    this.#asked = 0
    this.#follower?.heard(message)
    // A new leader does not know the tabs yet.
    if (isNew) this.#tellLook()
  }

  #handleOfUser(message: OfUser): void {
    const { onToken, onTokenWanted } = this.#options
    if (message.type === 'token') return onToken(message.user, message.fetched)
    if (message.type === 'tokenWanted') return onTokenWanted(message.user, message.sinceMS)
    const error = new ParleyError('CLOSED', 'the user has logged out in another tab')
    this.#end({ status: 'stopped', error })
  }

  #tellLook(): void {
    const look = lookNow()
    if (this.#leader) this.#leader.look(look)
    else this.#group?.post({ type: 'look', look })
  }

  #unfollow(): void {
    clearInterval(this.#timer)
    this.#follower?.close()
    this.#follower = undefined
  }

  /** Forgets the user too, since the next connection may be another user's. */
  #leave(): void {
    this.#known.user = undefined
    for (const stop of this.#stops) stop()
    this.#stops = []
    clearTimeout(this.#turn)
    this.#turn = undefined
    this.#unfollow()
    this.#leader?.close()
    this.#leader = undefined
    this.#group?.leave()
    this.#group = undefined
  }

  #goAlone(): void {
    this.#leave()
    this.#own = this.#options.connect(this.#options.about)
    this.#own.since = this.#known.since
    this.#own.state.subscribe(this.#setState)
    this.#own.open()
  }

  #end(state: ConnectionState): void {
    this.#leave()
    this.#own?.close()
    this.#state.set(state)
  }
}
