import type { Session, UserSocket } from './session.ts'
import { socketRoom } from './socket-rooms.ts'

/** The authenticated sockets of this node, by user. */
export interface Sockets {
  add(socket: UserSocket, session: Session): void
  remove(socket: UserSocket): void
  ofUser(app: string, user: string): Iterable<UserSocket>
  all(): Iterable<UserSocket>
  readonly size: number
  /** Connections of an app on this node. */
  countOf(app: string): number
}

/** Told whenever the number of an app's connections here changed, and which devices of a user are connected here. */
export interface SocketsChanged {
  count(app: string, count: number): void
  devices(app: string, user: string, devices: ReadonlySet<string>): void
}

export function createSockets(changed: SocketsChanged): Sockets {
  const byUser = new Map<string, Set<UserSocket>>()
  const counts = new Map<string, number>()
  let size = 0

  function count(app: string, by: 1 | -1): void {
    const now = (counts.get(app) ?? 0) + by
    if (now === 0) counts.delete(app)
    else counts.set(app, now)
    size += by
    changed.count(app, now)
  }

  function tellDevices({ app, user }: Session): void {
    const devices = new Set<string>()
    for (const { data } of byUser.get(socketRoom({ app, user })) ?? []) {
      if (data.session) devices.add(data.session.device)
    }
    changed.devices(app, user, devices)
  }

  return {
    add(socket, session) {
      socket.data.session = session
      const name = socketRoom(session)
      const sockets = byUser.get(name)
      if (sockets) sockets.add(socket)
      else byUser.set(name, new Set([socket]))
      count(session.app, 1)
      tellDevices(session)
    },
    remove(socket) {
      const { session } = socket.data
      if (!session) return
      socket.data.session = undefined
      const name = socketRoom(session)
      const sockets = byUser.get(name)
      sockets?.delete(socket)
      if (sockets?.size === 0) byUser.delete(name)
      count(session.app, -1)
      tellDevices(session)
    },
    ofUser: (app, user) => byUser.get(socketRoom({ app, user })) ?? [],
    *all() {
      for (const sockets of byUser.values()) yield* sockets
    },
    get size() {
      return size
    },
    countOf: (app) => counts.get(app) ?? 0,
  }
}
