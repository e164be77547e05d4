import { inTime } from '../pauses.ts'
import type { RoomHandle } from '../rooms/room-handle.ts'
import type { RoomList } from '../rooms/room-list.ts'
import type { UserSession } from '../user-session.ts'
import type { ClientCache } from './client-cache.ts'

/** Changes within this time share one write. */
const batchMS = 500
/** Cached messages per room. */
const mostMessages = 100

interface Parts {
  session: UserSession
  rooms: RoomList
}

/** Reads from the cache; nothing more once a read has hung. */
function readsOf(cache: ClientCache | undefined) {
  let isStuck = false
  return async <T>(read: (from: ClientCache) => Promise<T>): Promise<T | undefined> => {
    if (!cache || isStuck) return undefined
    return inTime(() => read(cache)).catch(() => {
      isStuck = true
      return undefined
    })
  }
}

/** Restores the cached state at startup, then keeps the cache up to date. */
export function createCacheKeeper(cache: ClientCache | undefined, { session, rooms }: Parts) {
  const changed = new Set<RoomHandle>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  const read = readsOf(cache)
  /** After a logout in another tab, until the next login. */
  let isLoggedOut = false

  function writeSoon(): void {
    if (cache && !isClosed) timer ??= setTimeout(write, batchMS)
  }

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    if (isLoggedOut) return
    const state = stateNow()
    if (state) void cache?.write(state)
    for (const room of changed) {
      const page = rooms.get(room.id) && room.timeline.latest(mostMessages)
      if (page) void cache?.writeRoom(room.id, page)
    }
    changed.clear()
  }

  /** Undefined while room reads are due or running, or events may be missing. */
  function stateNow() {
    const [user, clientKey] = [session.user.get(), session.clientKey.get()]
    const isWhole = session.connection.state.get().status === 'online' && rooms.isSettled
    if (!user || clientKey === undefined || !isWhole) return undefined
    return { user, clientKey, since: session.connection.since, rooms: rooms.rooms.get() }
  }

  /** Drops pending room writes too, so that they do not refill the cache. */
  async function clear(): Promise<void> {
    changed.clear()
    await inTime(() => cache?.clear()).catch(() => undefined)
  }

  rooms.rooms.subscribe(writeSoon)
  session.connection.state.subscribe((state) => {
    if (state.status === 'stopped' && state.error.code === 'CLOSED') {
      isLoggedOut = true
      void clear()
    } else if (state.status === 'online') isLoggedOut = false
    writeSoon()
  })

  return {
    /** Call it before the first login. */
    async restore() {
      const kept = await read((from) => from.read())
      if (!kept || isClosed) return
      if ((session.clientKey.get() ?? kept.clientKey) !== kept.clientKey) {
        // The cache is another app's.
        await clear()
        return
      }
      session.restore(kept)
      rooms.restore(kept.rooms)
    },
    readRoom: (roomID: string) => read((from) => from.readRoom(roomID)),
    /** Writes the room's latest messages after each change. */
    follow(room: RoomHandle) {
      if (!cache) return
      room.messages.subscribe(() => {
        changed.add(room)
        writeSoon()
      })
    },
    /** For a logout, or a login of another user. */
    clear,
    /** Flushes pending changes. */
    close() {
      if (timer !== undefined) write()
      isClosed = true
    },
  }
}
export type CacheKeeper = ReturnType<typeof createCacheKeeper>
