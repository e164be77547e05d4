import type { ServerEvents } from '../generated/types.ts'
import { isPassing, ParleyError } from '../parley-error.ts'
import { growingPauses } from '../pauses.ts'
import { createStore, oncePerTask, type Store } from '../store.ts'

type Heard = ServerEvents['presence']

/** How a user is now (docs/reference/presence.md); `lastSeenMS` only when offline. */
export type Presence = Omit<Heard['clients'][number], 'client'>

type PresenceEmit = 'presence subscribe' | 'presence unsubscribe'

interface PresenceWatchOptions {
  isConnected: () => boolean
  emit: (event: PresenceEmit, payload: object) => Promise<unknown>
}

interface Watched {
  store: Store<Presence | undefined>
  set: (now: Presence | undefined) => void
  /** How many look. */
  count: number
}

/** As many a connection watches, and a call names. */
const most = 500

/** Who of those that somebody looks at is online. A watch ends with the connection: each login begins them anew. */
export class PresenceWatch {
  readonly #options: PresenceWatchOptions
  readonly #watched = new Map<string, Watched>()
  /** Those of whom the server is to hear that they are watched, or no longer. */
  readonly #due = new Set<string>()
  /** One at a time: the server refuses a subscription that comes in the middle of another. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #report = oncePerTask(() => this.#flush())
  readonly #pauses = growingPauses(1_000, 30_000)
  /** Runs while the server is not asked again. */
  #pause: ReturnType<typeof setTimeout> | undefined

  constructor(options: PresenceWatchOptions) {
    this.#options = options
  }

  /** The same object each time. The user is watched as long as somebody is subscribed. */
  of(user: string): Store<Presence | undefined> {
    const watched = this.#watched.get(user) ?? this.#add(user)
    return watched.store
  }

  heard({ clients = [] }: Partial<Heard>): void {
    for (const { client, ...presence } of clients) this.#watched.get(client)?.set(presence)
  }

  loggedIn(): void {
    for (const [user, { count }] of this.#watched) if (count > 0) this.#due.add(user)
    this.#endPause()
    this.#report()
  }

  close(): void {
    this.#endPause()
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

  #flush(): void {
    if (this.#due.size === 0 || this.#pause !== undefined || !this.#options.isConnected()) return
    const due = [...this.#due]
    this.#due.clear()
    const isWatched = (user: string) => (this.#watched.get(user)?.count ?? 0) > 0
    const emit = async (event: PresenceEmit, clients: string[]) => {
      if (clients.length === 0) return
      const { clients: known = [] } = (await this.#options.emit(event, { clients })) as Partial<Heard>
      this.heard({ clients: known })
      if (event === 'presence unsubscribe') return
      // Who is left out may not be watched, or no longer: what was known of them holds no more.
      const watched = new Set(known.map(({ client }) => client))
      for (const user of clients) if (!watched.has(user)) this.#watched.get(user)?.set(undefined)
    }
    const report = async () => {
      const left = due.filter((user) => !isWatched(user))
      for (let i = 0; i < left.length; i += most) await emit('presence unsubscribe', left.slice(i, i + most))
      await emit('presence subscribe', due.filter(isWatched).slice(0, most))
      this.#pauses.reset()
    }
    this.#last = this.#last.then(report).catch((error: unknown) => this.#failed(due, error))
  }

  /** What may pass is tried again; without a connection the next login begins all anew. */
  #failed(due: readonly string[], error: unknown): void {
    if (!(error instanceof ParleyError) || !isPassing(error) || !this.#options.isConnected()) return
    for (const user of due) this.#due.add(user)
    this.#endPause()
    this.#pause = setTimeout(
      () => {
        this.#pause = undefined
        this.#report()
      },
      Math.max(this.#pauses.next(), error.retryAfterMS ?? 0),
    )
  }

  #endPause(): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
  }
}
