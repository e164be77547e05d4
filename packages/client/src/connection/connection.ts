import { io, type Socket } from 'socket.io-client'
import type { LoginResult } from '../generated/types.ts'
import { asParleyError, errorOf, networkError, type ParleyError } from '../parley-error.ts'
import { growingPauses } from '../pauses.ts'
import { retryWhilePassing } from '../retry-while-passing.ts'
import { createStore, type Store } from '../store.ts'
import { type ConnectionState, finalCodes, isConnected } from './connection-state.ts'
import { decodeEvent } from './decode-event.ts'
import { authenticate, type Emit, emitChecked, type LoginOptions, login } from './login.ts'
import { onNetworkBack } from './network-back.ts'

export interface ConnectionOptions extends LoginOptions {
  url: string
  transports: readonly ('websocket' | 'polling')[]
  timeoutMS: number
  /** Every event, also those that arrive before `onLogin`. */
  onEvent: (name: string, payload: unknown) => void
  /** After each login: fetches missed changes. Retried on transient errors. */
  onLogin: (result: LoginResult & { resumed?: boolean }) => Promise<void>
}

/** Longer connections than this were good ones: the next pause is short again. */
const stableMS = 10_000
/** A token is renewed this long before its end, a short one in its last quarter; and again after the pause. */
const renewMS = 60_000
const renewPauseMS = 15_000
/** Timers take 32 bits: a connection with a longer token logs in anew when that ends. */
const longestTimerMS = 2 ** 31

/** A connection that comes back by itself, and logs in each time (docs/reference/socket.md). */
export class Connection {
  readonly #state = createStore<ConnectionState>({ status: 'connecting' })
  readonly state: Store<ConnectionState> = this.#state
  readonly #options: ConnectionOptions
  readonly #socket: Socket
  readonly #emitNow: Emit
  readonly #pauses = growingPauses(300, 20_000)
  #isOpen = false
  /** Numbers connections: work begun in an earlier one stops. */
  #attempt = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopListening: (() => void) | undefined
  /** Everything up to this time of the server is known; 0 before the first login. */
  since = 0
  #latestServerTimeMS = 0
  #loggedInAtMS: number | undefined
  #token: string | undefined
  #endedToken: string | undefined
  /** The server's error before it closed the connection. */
  #said: ParleyError | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    const { origin, path } = addressOf(options.url)
    this.#socket = io(origin, {
      path: `${path}/socket.io`,
      forceNew: true,
      autoConnect: false,
      // Ours: it waits for logins too, and hears of the network.
      reconnection: false,
      transports: [...options.transports],
      tryAllTransports: true,
    })
    this.#emitNow = (event, ...args) => this.#socket.timeout(options.timeoutMS).emitWithAck(event, ...args)
    this.#socket.on('connect', () => void this.#enter())
    this.#socket.on('connect_error', (error) => this.#lost(networkError(error)))
    this.#socket.on('disconnect', (reason) => {
      // A Socket.IO disconnect: mostly the token ended. The next login says why, or succeeds with another token.
      if (reason === 'io server disconnect') this.#endedToken = this.#token
      this.#lost(this.#said ?? networkError(reason))
    })
    this.#socket.onAny((name: string, payload: unknown) => this.#heard(name, payload))
  }

  /** Connects, also in a pause between two tries. */
  open(): void {
    if (this.#isOpen && this.#isTrying()) return
    this.#isOpen = true
    this.#stopListening ??= onNetworkBack(() => this.open())
    this.#connect()
  }

  close(): void {
    this.#end({ status: 'closed' })
  }

  /**
   * Emits, and returns the result of the acknowledgement.
   * @throws ParleyError NETWORK_ERROR when there is no connection, or it broke before the acknowledgement
   */
  async emit(event: string, payload: unknown): Promise<unknown> {
    if (this.#loggedInAtMS === undefined) throw networkError('not connected')
    return emitChecked(this.#emitNow, event, payload)
  }

  /** Whether it connects, or is connected. */
  #isTrying(): boolean {
    const state = this.#state.get()
    return state.status === 'connecting' || isConnected(state)
  }

  #connect(): void {
    clearTimeout(this.#timer)
    this.#attempt++
    this.#said = undefined
    this.#state.set({ status: 'connecting' })
    this.#socket.connect()
  }

  async #enter(): Promise<void> {
    const attempt = this.#attempt
    const isCurrent = () => attempt === this.#attempt && this.#socket.connected
    try {
      const { token, result } = await login(this.#emitNow, this.#options, this.since, this.#endedToken)
      if (!isCurrent()) return
      this.#token = token
      this.#loggedInAtMS = Date.now()
      this.#latestServerTimeMS = Math.max(this.#latestServerTimeMS, result.serverTimeMS)
      this.#renewLater(result)
      this.#state.set({ status: 'syncing' })
      await retryWhilePassing(() => this.#options.onLogin(result), isCurrent)
      if (!isCurrent()) return
      this.since = this.#latestServerTimeMS
      this.#state.set({ status: 'online' })
    } catch (thrown) {
      if (!isCurrent()) return
      const error = asParleyError(thrown)
      if (finalCodes.includes(error.code)) this.#end({ status: 'stopped', error })
      else this.#lost(error)
    }
  }

  /** By the server's clock. */
  #renewLater({ expirationDate, serverTimeMS }: LoginResult): void {
    const leftMS = Date.parse(expirationDate) - serverTimeMS
    this.#renewIn(leftMS - Math.min(renewMS, leftMS / 4))
  }

  #renewIn(pauseMS: number): void {
    const { fetch } = this.#options.tokens
    if (fetch && pauseMS < longestTimerMS) this.#timer = setTimeout(() => void this.#renew(fetch), pauseMS)
  }

  /** The connection stays with a newer token; with its own it would end. */
  async #renew(fetch: () => Promise<string>): Promise<void> {
    const attempt = this.#attempt
    // Without a newer one it asks again, until the token ends.
    const next = await fetch().catch(() => this.#token)
    if (attempt !== this.#attempt) return
    if (next === undefined || next === this.#token) return this.#renewIn(renewPauseMS)
    // One that is refused is so at the next login, which says why.
    const result = await authenticate(this.#emitNow, this.#options, next).catch(() => undefined)
    if (attempt !== this.#attempt) return
    if (!result) return this.#renewIn(renewPauseMS)
    this.#token = next
    this.#renewLater(result)
  }

  /** Waits for the next try. */
  #lost(error: ParleyError): void {
    if (!this.#isTrying()) return
    if (this.#loggedInAtMS !== undefined && Date.now() - this.#loggedInAtMS > stableMS) this.#pauses.reset()
    const pauseMS = this.#pauses.next(error)
    this.#leave({ status: 'waiting', error, retryAtMS: Date.now() + pauseMS })
    this.#timer = setTimeout(() => this.#connect(), pauseMS)
  }

  #end(state: ConnectionState): void {
    this.#stopListening?.()
    this.#stopListening = undefined
    this.#pauses.reset()
    this.#leave(state)
  }

  #leave(state: ConnectionState): void {
    clearTimeout(this.#timer)
    this.#attempt++
    this.#loggedInAtMS = undefined
    this.#state.set(state)
    this.#socket.disconnect()
  }

  #heard(name: string, raw: unknown): void {
    const payload = decodeEvent(raw, this.#options.encoding)
    if (name === 'error') {
      this.#said = errorOf((payload as { RC?: number } | null)?.RC ?? 500, payload)
      return
    }
    if (name === 'serverTime') {
      this.#latestServerTimeMS = (payload as { serverTimeMS: number }).serverTimeMS
      if (this.#state.get().status === 'online') this.since = this.#latestServerTimeMS
    }
    this.#options.onEvent(name, payload)
  }
}

/** Socket.IO takes the path of a URL for a namespace. */
function addressOf(url: string): { origin: string; path: string } {
  const [, origin = url, path = ''] = /^(\w+:\/\/[^/]+)(.*)$/.exec(url) ?? []
  return { origin, path }
}
