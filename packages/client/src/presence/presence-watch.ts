import type { ServerEvents } from '../generated/types.ts'
import { asParleyError, isTransient } from '../parley-error.ts'
import { createBackoff } from '../pauses.ts'
import { createStore, oncePerTask, type Store } from '../store.ts'

type Heard = ServerEvents['presence']

/** A user's presence (docs/reference/presence.md). `lastSeenMS` is set only when offline. */
export type Presence = Omit<ServerEvents['presence']['clients'][number], 'client'>

type PresenceEmit = 'presence subscribe' | 'presence unsubscribe'

interface PresenceWatchOptions {
  isConnected: () => boolean
  emit: (event: PresenceEmit, payload: object) => Promise<unknown>
}

interface Watched {
  store: Store<Presence | undefined>
  set: (now: Presence | undefined) => void
  /** Number of subscribers. */
  count: number
}

interface Call {
  event: PresenceEmit
  clients: string[]
}

/** The server's limit per connection and per call. */
const most = 500

/** Presence of watched users. Watches end with the connection; each login restarts them. */
export class PresenceWatch {
  readonly #options: PresenceWatchOptions
  readonly #watched = new Map<string, Watched>()
  /** Watches to start or end at the server; also those waiting for a free slot. */
  readonly #due = new Set<string>()
  /** Users that the server watches, or may watch, for this connection. */
  readonly #held = new Set<string>()
  /** Halves of subscriptions that the server refused because of an invalid ID. */
  #parts: string[][] = []
  /** One call at a time: the server refuses overlapping subscriptions. */
  #isReporting = false
  readonly #report = oncePerTask(() => void this.#reportDue())
  readonly #backoff = createBackoff(1_000, 30_000)
  /** Runs while backing off. */
  #pause: ReturnType<typeof setTimeout> | undefined

  constructor(options: PresenceWatchOptions) {
    this.#options = options
  }

  /** Returns the same store each time. The user is watched while it has a subscriber. */
  of(user: string): Store<Presence | undefined> {
    const watched = this.#watched.get(user) ?? this.#add(user)
    return watched.store
  }

  heard({ clients = [] }: Partial<Heard>): void {
    for (const { client, ...presence } of clients) this.#watched.get(client)?.set(presence)
  }

  loggedIn(): void {
    this.#held.clear()
    this.#parts = []
    for (const [user, { count }] of this.#watched) if (count > 0) this.#due.add(user)
    this.#endPause()
    this.#report()
  }

  close(): void {
    this.#endPause()
  }

  #endPause(): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
  }

  #add(user: string): Watched {
    const { get, set, subscribe } = createStore<Presence | undefined>(undefined)
    const look = (by: 1 | -1) => {
      const before = watched.count > 0
      watched.count += by
      if (watched.count > 0 === before) return
      this.#due.add(user)
      this.#report()
    }
    const store: Store<Presence | undefined> = {
      get,
      subscribe(listener) {
        const stop = subscribe(listener)
        look(1)
        let isLooking = true
        return () => {
          stop()
          if (isLooking) look(-1)
          isLooking = false
        }
      },
    }
    const watched: Watched = { store, set, count: 0 }
    this.#watched.set(user, watched)
    return watched
  }

  async #reportDue(): Promise<void> {
    if (this.#isReporting) return
    this.#isReporting = true
    while (this.#pause === undefined && this.#options.isConnected()) {
      const call = this.#nextCall()
      if (call.clients.length === 0) break
      for (const user of call.clients) this.#due.delete(user)
      await this.#make(call)
    }
    this.#isReporting = false
  }

  /** Unwatch first, to free slots for new watches. */
  #nextCall(): Call {
    const isWatched = (user: string) => (this.#watched.get(user)?.count ?? 0) > 0
    const isHeld = (user: string) => this.#held.has(user)
    for (const user of this.#due) if (!isWatched(user) && !isHeld(user)) this.#due.delete(user)
    const due = [...this.#due]
    const gone = due.filter((user) => !isWatched(user))
    if (gone.length > 0) return { event: 'presence unsubscribe', clients: gone.slice(0, most) }
    for (let part = this.#parts.shift(); part; part = this.#parts.shift()) {
      const clients = part.filter(isWatched)
      if (clients.length > 0) return { event: 'presence subscribe', clients }
    }
    const more = due.filter((user) => !isHeld(user)).slice(0, most - this.#held.size)
    return { event: 'presence subscribe', clients: [...due.filter(isHeld), ...more] }
  }

  async #make(call: Call): Promise<void> {
    const { event, clients } = call
    const isComing = event === 'presence subscribe'
    const more = clients.filter((user) => !this.#held.has(user))
    for (const user of more) this.#held.add(user)
    try {
      const { clients: known = [] } = (await this.#options.emit(event, { clients })) as Partial<Heard>
      this.heard({ clients: known })
      const watched = new Set(isComing ? known.map(({ client }) => client) : [])
      for (const user of clients) {
        if (watched.has(user)) continue
        this.#held.delete(user)
        // Users missing from the response may not be watched, or no longer: forget their state.
        if (isComing) this.#watched.get(user)?.set(undefined)
      }
      this.#backoff.reset()
    } catch (error) {
      // Without a response, the server may be watching them.
      if (asParleyError(error).status !== 0) for (const user of more) this.#held.delete(user)
      this.#failed(call, error)
    }
  }

  /** Retries transient errors. Splits a refused call in half, so that an invalid ID does not block the rest. */
  #failed({ event, clients }: Call, error: unknown): void {
    if (!this.#options.isConnected()) return
    if (asParleyError(error).status === 400 && event === 'presence subscribe' && clients.length > 1) {
      const half = Math.ceil(clients.length / 2)
      this.#parts.push(clients.slice(0, half), clients.slice(half))
      return
    }
    if (!isTransient(error)) return
    for (const user of clients) this.#due.add(user)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      this.#report()
    }, this.#backoff.next(error))
  }
}
