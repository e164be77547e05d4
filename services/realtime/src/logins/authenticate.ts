import { clock } from '@parley/async/clock'
import type { AuthenticateSocket } from '@parley/chat/access/authenticate-socket'
import type { RoomOfUser, RoomsOfUser } from '@parley/chat/rooms/rooms-of-user'
import { ApiError } from '@parley/contracts/errors'
import type { Slices } from '@parley/socketio/accepting/slices'
import type { CatchUp, CaughtUp } from '../catch-up/catch-up.ts'
import type { Activity } from '../connections/activity.ts'
import { isOf, type Session, type UserSocket } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { RoomInterest } from '../delivery/room-interest.ts'
import type { IdleSockets } from '../limits/idle-sockets.ts'
import type { Limits } from '../limits/limits.ts'
import type { WatchPresence } from '../presence/watch-presence.ts'
import { enterRooms } from './enter-rooms.ts'
import type { Logins } from './logins.ts'

export interface AuthenticateParts {
  authenticateSocket: AuthenticateSocket
  roomsOfUser: RoomsOfUser
  sockets: Sockets
  interest: RoomInterest
  queue: DeliveryQueue
  logins: Logins
  slices: Slices
  limits: Limits
  idle: IdleSockets
  activity: Activity
  watching: WatchPresence
  /** Settles when the senders of orders know that this node holds a socket of the user. */
  registered: () => Promise<void>
  /** Settles when the connections of an app are counted. */
  counted: (app: string) => Promise<void>
  catchUp: CatchUp
  /** The bytes of events that wait for a socket while it catches up. */
  mostHeldBytes: number
}

interface Credentials {
  token: string
  clientKey: string | undefined
  device: string
  /** Whether it gives the time since when it may have missed something. */
  catchesUp: boolean
}

/**
 * `auth2`: authenticates a socket and puts it into the rooms of its user. When this settles, every event published from
 * now on reaches the socket; with `since`, what passed since then has reached it before. A socket that belonged to another
 * user becomes the new one's. One at a time for each socket: see login-turns.ts.
 * @throws ApiError INVALID_TOKEN, INVALID_CLIENT_KEY, TOO_MANY_REQUESTS
 */
export async function authenticate(
  parts: AuthenticateParts,
  socket: UserSocket,
  token: string,
  options: { deviceId?: string | undefined; clientKey?: string | undefined; since?: number | undefined },
): Promise<{ session: Session; caughtUp: CaughtUp | undefined }> {
  const { clientKey, since } = options
  const credentials = { token, clientKey, device: options.deviceId || socket.id, catchesUp: since !== undefined }
  await parts.limits.turn(socket)
  await parts.slices.turn()
  const { session, rooms } = await parts.logins.watch((hasEnded) => login(parts, socket, credentials, hasEnded))
  // Not part of the login: it may take long, and orders reach the session already.
  const caughtUp = since === undefined ? undefined : await parts.catchUp(socket, session, since, rooms)
  requireOf(socket, session)
  return { session, caughtUp }
}

async function login(
  parts: AuthenticateParts,
  socket: UserSocket,
  credentials: Credentials,
  hasEnded: (app: string, tokenDigest: string) => boolean,
): Promise<{ session: Session; rooms: readonly RoomOfUser[] }> {
  const { session, before } = await begin(parts, socket, credentials, hasEnded)
  let rooms: readonly RoomOfUser[]
  try {
    rooms = await enter(parts, socket, session)
  } catch (error) {
    const missedNothing = socket.release()
    while (!socket.release());
    if (isOf(socket, session)) {
      const mayStay = missedNothing && before?.isReady && !hasEnded(before.app, before.tokenDigest)
      if (mayStay) goBack(parts, socket, session, before)
      else forget(parts, socket)
    }
    throw error
  }
  session.isReady = true
  parts.activity.began(socket, session)
  return { session, rooms }
}

/** Makes the socket the earlier session's of the same user again: it has stayed in its rooms, and orders were carried out. */
function goBack({ sockets }: AuthenticateParts, socket: UserSocket, session: Session, before: Session): void {
  sockets.remove(socket)
  before.isAway = session.isAway
  sockets.add(socket, before)
}

/**
 * Finds out whose the token is, and makes the socket theirs. Orders reach the session from then on. `before` is an earlier
 * session of the same user.
 */
async function begin(
  parts: AuthenticateParts,
  socket: UserSocket,
  { token, clientKey, device, catchesUp }: Credentials,
  hasEnded: (app: string, tokenDigest: string) => boolean,
): Promise<{ session: Session; before: Session | undefined }> {
  requireConnected(socket)
  const caller = await parts.authenticateSocket(token, clientKey)
  await parts.slices.turn()
  requireConnected(socket)
  const { app, user } = caller
  if (hasEnded(app, caller.tokenDigest)) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
  const others = [...parts.sockets.ofUser(app, user)].filter((other) => other !== socket)
  parts.limits.anotherOfUser(others.length)
  const before = socket.data.session
  const isSame = before?.app === app && before.user === user
  const session: Session = {
    ...caller,
    device,
    isReady: isSame && before.isReady,
    isCounted: false,
    isAway: isSame && before.isAway,
    wantsServerTime: catchesUp,
    sinceMS: isSame ? before.sinceMS : clock.now(),
    enteredAtMS: 0,
    orders: [],
  }
  // A socket that authenticates again, as with a new token, stays in its rooms and so misses nothing.
  if (isSame) parts.sockets.remove(socket)
  else forget(parts, socket)
  parts.sockets.add(socket, session)
  parts.idle.authenticated(socket)
  return { session, before: isSame ? before : undefined }
}

async function enter(parts: AuthenticateParts, socket: UserSocket, session: Session): Promise<readonly RoomOfUser[]> {
  // Before the rooms are read: a later change of them waits for this node, an earlier one is seen by the reading.
  await parts.registered()
  requireOf(socket, session)
  const rooms = await parts.roomsOfUser(session)
  await parts.slices.turn()
  requireOf(socket, session)
  parts.queue.drain()
  if (session.wantsServerTime) socket.holdBack(parts.mostHeldBytes)
  enterRooms(socket, session, rooms)
  // Counted before the client knows that it is connected, so that the peak over all nodes is exact.
  await Promise.all([parts.interest.effective(), parts.counted(session.app)])
  requireOf(socket, session)
  return rooms
}

/** The socket is nobody's any more and leaves all topics. */
function forget({ sockets, activity, idle, watching }: AuthenticateParts, socket: UserSocket): void {
  const { session } = socket.data
  if (!session) return
  activity.ended(session)
  sockets.remove(socket)
  watching.forget(socket)
  for (const { name } of [...(socket.topics ?? [])]) socket.leave(name)
  idle.unauthenticated(socket)
}

function requireConnected(socket: UserSocket): void {
  if (!socket.connected) throw new ApiError('INVALID_REQUEST', 'the socket is disconnected')
}

/** The socket may have been disconnected meanwhile, by its client or by a revocation. */
function requireOf(socket: UserSocket, session: Session): void {
  requireConnected(socket)
  if (!isOf(socket, session)) throw new ApiError('INVALID_TOKEN', 'the socket is not the user’s any more')
}
