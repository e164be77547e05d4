import type { CacheKeeper } from './cache/keep-cache.ts'
import type { LoginResult } from './generated/types.ts'
import type { PresenceWatch } from './presence/presence-watch.ts'
import type { DeliveryReports } from './rooms/delivery-reports.ts'
import type { Invitations } from './rooms/invitations.ts'
import type { RoomHandle } from './rooms/room-handle.ts'
import type { RoomList } from './rooms/room-list.ts'
import type { Outbox } from './sending/outbox.ts'
import type { UserSession } from './user-session.ts'

interface Parts {
  session: UserSession
  rooms: RoomList
  invitations: Invitations
  presence: PresenceWatch
  deliveries: DeliveryReports
  outbox: Outbox
  keeper: CacheKeeper
  /** Rooms that the app has requested. */
  handles: ReadonlyMap<string, RoomHandle>
}

/** Rooms that catch up concurrently. */
const roomsAtOnce = 4

/**
 * Returns the login callback, which brings all parts up to date. Unless every event since the last connection or the
 * cached state was replayed, it rereads everything shown.
 */
export function catchUpAtLogin({ session, rooms, invitations, presence, deliveries, outbox, keeper, handles }: Parts) {
  const { user, calls } = session
  /** Whether the user was read from the server rather than the cache. */
  let isRead = false

  /** Drops the state of another user, shown or cached. */
  async function forgetUser(): Promise<void> {
    user.set(undefined)
    for (const handle of handles.values()) handle.forget()
    await keeper.clear()
  }

  return async ({ _id, resumed }: LoginResult & { resumed?: boolean }): Promise<void> => {
    void outbox.loggedIn(_id)
    presence.loggedIn()
    if ((user.get()?._id ?? _id) !== _id) await forgetUser()
    const isWhole = resumed === true && user.get() !== undefined
    if (!isWhole || !isRead) {
      const [now] = await Promise.all([calls.getMe(), isWhole || rooms.refresh()])
      user.set(now)
      deliveries.read(rooms.rooms.get())
      invitations.read()
      if (!isWhole) await workOnAll([...handles.values()], roomsAtOnce, (handle) => handle.catchUp())
      isRead = true
    }
    await rooms.settled()
    invitations.loggedIn()
    for (const handle of handles.values()) handle.loggedIn()
  }
}

/** Runs `work` on all items, at most `most` at a time. Rejects with the first error. */
async function workOnAll<T>(all: T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (let next = all.pop(); next !== undefined; next = all.pop()) await work(next)
  }
  await Promise.all(Array.from({ length: most }, worker))
}
