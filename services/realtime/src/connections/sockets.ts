import { clock } from '@parley/async/clock'
import { topicOf } from '../delivery/topics.ts'
import type { Session, UserSocket } from './session.ts'

/** Notified when an app's number of WebSockets changes, and when a user's connected devices change, go away or are back. */
export interface SocketsChanged {
  count(app: string, count: number): void
  devices(app: string, user: string, devices: ReadonlySet<string>, awaySinceMS: ReadonlyMap<string, number>): void
}

/** The authenticated sockets of this node, by user. */
export function createSockets(changed: SocketsChanged) {
  const byUser = new Map<string, Set<UserSocket>>()
  const counts = new Map<string, number>()
  let size = 0

  function count(session: Session, by: 1 | -1): void {
    session.isCounted = by === 1
    const { app } = session
    const now = (counts.get(app) ?? 0) + by
    if (now === 0) counts.delete(app)
    else counts.set(app, now)
    changed.count(app, now)
  }

  function notifyDevices({ app, user }: Session): void {
    const devices = new Set<string>()
    const active = new Set<string>()
    const awaySinceMS = new Map<string, number>()
    for (const { data } of byUser.get(topicOf({ app, user })) ?? []) {
      if (!data.session) continue
      const { device, awaySinceMS: sinceMS } = data.session
      devices.add(device)
      if (sinceMS === undefined) active.add(device)
      else awaySinceMS.set(device, Math.max(sinceMS, awaySinceMS.get(device) ?? 0))
    }
    for (const device of active) awaySinceMS.delete(device)
    changed.devices(app, user, devices, awaySinceMS)
  }

  return {
    add(socket: UserSocket, session: Session) {
      socket.data.session = session
      const name = topicOf(session)
      const sockets = byUser.get(name)
      if (sockets) sockets.add(socket)
      else byUser.set(name, new Set([socket]))
      size++
      if (socket.transport === 'websocket') count(session, 1)
      notifyDevices(session)
    },
    /** The socket's client moved from polling to a WebSocket. */
    upgraded(socket: UserSocket) {
      const { session } = socket.data
      if (session && !session.isCounted) count(session, 1)
    },
    /** The socket's client is away, or back. */
    setAway(socket: UserSocket, session: Session, isAway: boolean) {
      if (isAway === (session.awaySinceMS !== undefined) || socket.data.session !== session) return
      session.awaySinceMS = isAway ? clock.now() : undefined
      notifyDevices(session)
    },
    remove(socket: UserSocket) {
      const { session } = socket.data
      if (!session) return
      socket.data.session = undefined
      const name = topicOf(session)
      const sockets = byUser.get(name)
      sockets?.delete(socket)
      if (sockets?.size === 0) byUser.delete(name)
      size--
      if (session.isCounted) count(session, -1)
      notifyDevices(session)
    },
    ofUser: (app: string, user: string) => byUser.get(topicOf({ app, user })) ?? [],
    *all(): Iterable<UserSocket> {
      for (const sockets of byUser.values()) yield* sockets
    },
    get size() {
      return size
    },
  }
}
export type Sockets = ReturnType<typeof createSockets>
