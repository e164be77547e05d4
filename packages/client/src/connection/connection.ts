import { io, type Socket } from 'socket.io-client'
import type { LoginResult } from '../generated/types.ts'
import { asParleyError, errorOf, networkError, type ParleyError } from '../parley-error.ts'
import { createBackoff } from '../pauses.ts'
import { retryTransient } from '../retry-transient.ts'
import { createStore, type Store } from '../store.ts'
import { type ConnectionState, finalCodes, isConnected } from './connection-state.ts'
import { authenticate, type Emit, emitChecked, type LoginOptions, login } from './login.ts'
import { onNetworkBack } from './network-back.ts'

export interface ConnectionOptions extends LoginOptions {
  url: string
  transports: readonly ('websocket' | 'polling')[]
  timeoutMS: number
  /** Called for every event, even before `onLogin`. */
  onEvent: (name: string, payload: unknown) => void
  /** Called after each login to fetch missed changes. Retried on transient errors. */
  onLogin: (result: LoginResult & { resumed?: boolean }) => Promise<void>
}

/** A connection that lasts longer resets the backoff. */
const stableMS = 10_000
/** Tokens are renewed this long before they expire, short-lived ones in their last quarter. */
const renewMS = 60_000
/** Pause between renewal attempts. */
const renewPauseMS = 15_000
/** Timers overflow at 32 bits. A token that lasts longer is not renewed; its expiry leads to a new login. */
const longestTimerMS = 2 ** 31

/** A connection that reconnects and logs in by itself (docs/reference/socket.md). */
export class Connection {
  readonly #state = createStore<ConnectionState>({ status: 'connecting' })
  readonly state: Store<ConnectionState> = this.#state
  readonly #options: ConnectionOptions
  readonly #socket: Socket
  readonly #emitNow: Emit
  readonly #backoff = createBackoff(300, 20_000)
  #isOpen = false
  /** Counts connections: work started in an earlier one stops. */
  #attempt = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopListening: (() => void) | undefined
  /** Server time up to which everything is known; 0 before the first login. */
  since = 0
  #latestServerTimeMS = 0
  #loggedInAtMS: number | undefined
  #token: string | undefined
  #endedToken: string | undefined
  /** The error that the server sent before closing the connection. */
  #serverError: ParleyError | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    const { origin, path } = addressOf(options.url)
    this.#socket = io(origin, {
      path: `${path}/socket.io`,
      forceNew: true,
      autoConnect: false,
      // This class reconnects itself, to back off after failed logins too and to react to network changes.
      reconnection: false,
      transports: [...options.transports],
      tryAllTransports: true,
    })
    this.#emitNow = (event, ...args) => this.#socket.timeout(options.timeoutMS).emitWithAck(event, ...args)
    this.#socket.on('connect', () => void this.#enter())
    this.#socket.on('connect_error', (error) => this.#lost(networkError(error)))
    this.#socket.on('disconnect', (reason) => {
      // The server disconnected, usually because the token expired. The next login reports why, or succeeds with a new
      // token.
      if (reason === 'io server disconnect') this.#endedToken = this.#token
      this.#lost(this.#serverError ?? networkError(reason))
    })
    this.#socket.onAny((name: string, payload: unknown) => this.#heard(name, payload))
  }

  /** Connects at once, even during a backoff pause. */
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
   * Emits an event and returns the result of its acknowledgement.
   * @throws ParleyError NETWORK_ERROR without a connection, or if it breaks before the acknowledgement
   */
  async emit(event: string, payload: unknown): Promise<unknown> {
    if (this.#loggedInAtMS === undefined) throw networkError('not connected')
    return emitChecked(this.#emitNow, event, payload)
  }

  /** Whether it is connecting or connected. */
  #isTrying(): boolean {
    const state = this.#state.get()
    return state.status === 'connecting' || isConnected(state)
  }

  #connect(): void {
    clearTimeout(this.#timer)
    this.#attempt++
    this.#serverError = undefined
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
      await retryTransient(() => this.#options.onLogin(result), isCurrent)
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

  /** Uses the server's clock, since the client's may be wrong. */
  #renewLater({ expirationDate, serverTimeMS }: LoginResult): void {
    const leftMS = Date.parse(expirationDate) - serverTimeMS
    this.#renewIn(leftMS - Math.min(renewMS, leftMS / 4))
  }

  #renewIn(pauseMS: number): void {
    const { fetch } = this.#options.tokens
    if (fetch && pauseMS < longestTimerMS) this.#timer = setTimeout(() => void this.#renew(fetch), pauseMS)
  }

  /** Authenticates with a newer token, so that the connection outlives the current one. */
  async #renew(fetch: () => Promise<string>): Promise<void> {
    const attempt = this.#attempt
    // Without a newer token, ask again until this one expires.
    const next = await fetch().catch(() => this.#token)
    if (attempt !== this.#attempt) return
    if (next === undefined || next === this.#token) return this.#renewIn(renewPauseMS)
    // If the new token is refused, the next login reports why.
    const result = await authenticate(this.#emitNow, this.#options, next).catch(() => undefined)
    if (attempt !== this.#attempt) return
    if (!result) return this.#renewIn(renewPauseMS)
    this.#token = next
    this.#renewLater(result)
  }

  /** Schedules a reconnect. */
  #lost(error: ParleyError): void {
    if (!this.#isTrying()) return
    if (this.#loggedInAtMS !== undefined && Date.now() - this.#loggedInAtMS > stableMS) this.#backoff.reset()
    const pauseMS = this.#backoff.next(error)
    this.#leave({ status: 'waiting', error, retryAtMS: Date.now() + pauseMS })
    this.#timer = setTimeout(() => this.#connect(), pauseMS)
  }

  #end(state: ConnectionState): void {
    this.#stopListening?.()
    this.#stopListening = undefined
    this.#backoff.reset()
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
      this.#serverError = errorOf((payload as { RC?: number } | null)?.RC ?? 500, payload)
      return
    }
    if (name === 'serverTime') {
      this.#latestServerTimeMS = (payload as { serverTimeMS: number }).serverTimeMS
      if (this.#state.get().status === 'online') this.since = this.#latestServerTimeMS
    }
    this.#options.onEvent(name, payload)
  }
}

/** Splits off the path, which Socket.IO would take for a namespace. */
function addressOf(url: string): { origin: string; path: string } {
  const [, origin = url, path = ''] = /^(\w+:\/\/[^/]+)(.*)$/.exec(url) ?? []
  return { origin, path }
}

/** Decodes an event's payload: base64 of its JSON, if `conf` selected that (docs/reference/socket.md#connect). */
function decodeEvent(payload: unknown, encoding: 'plain' | 'base64'): unknown {
  if (encoding === 'plain' || typeof payload !== 'string') return payload
  const bytes = Uint8Array.from(atob(payload), (character) => character.codePointAt(0) ?? 0)
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown
}
