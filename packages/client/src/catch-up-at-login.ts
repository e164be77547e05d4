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
  /** Rooms of which the app has something. */
  handles: ReadonlyMap<string, RoomHandle>
}

/** Rooms that catch up at a time. */
const roomsAtOnce = 4

/**
 * Brings all parts up to date after each login. Unless every event since the last connection, or since the cached state, has
 * arrived, everything that is shown is read again.
 */
export function catchUpAtLogin({ session, rooms, invitations, presence, deliveries, outbox, keeper, handles }: Parts) {
  const { user, calls } = session
  /** Whether the user has been read; what was cached does not count. */
  let isRead = false

  /** The state that is shown, cached or not, is another user's. */
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

/** Works on all, `most` at a time; fails with the first that fails. */
async function workOnAll<T>(all: T[], most: number, work: (one: T) => Promise<void>): Promise<void> {
  const one = async () => {
    for (let next = all.pop(); next !== undefined; next = all.pop()) await work(next)
  }
  await Promise.all(Array.from({ length: most }, one))
}
