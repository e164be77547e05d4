import { KeyedMutex } from '@parley/async/keyed-mutex'
import type { AuthenticatedSocket, AuthenticateSocket } from '@parley/chat/access/authenticate-socket'
import { type FailedLogins, failedLoginCode } from '@parley/chat/access/failed-logins'
import type { RoomOfUser, RoomsOfUser } from '@parley/chat/rooms/rooms-of-user'
import { ApiError } from '@parley/contracts/errors'
import type { AcceptQueue } from '@parley/socketio/accepting/accept-queue'
import type { CatchUp, CaughtUp } from '../catch-up/catch-up.ts'
import { isOf, type Session, type UserSocket } from '../connections/session.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { RoomInterest } from '../delivery/room-interest.ts'
import { Dismissal } from '../limits/dismissal.ts'
import type { Limits } from '../limits/limits.ts'
import { joinRooms } from './join-rooms.ts'
import type { Logins } from './logins.ts'
import type { Sessions } from './sessions.ts'

/** One login of a socket runs, and one more can wait (docs/reference/socket.md, "Authenticate"). */
const maxLoginsOfSocket = 2

export interface LoginParts {
  limits: Pick<Limits, 'turn' | 'anotherOfUser'>
  acceptQueue: AcceptQueue
  failedLogins: FailedLogins
  authenticateSocket: AuthenticateSocket
  logins: Logins
  sessions: Sessions
  /** Reports the node's users to other processes. */
  registration: Registration
  roomsOfUser: RoomsOfUser
  interest: Pick<RoomInterest, 'effective'>
  queue: Pick<DeliveryQueue, 'drain'>
  replay: CatchUp
  /** The size of the replay buffer of one socket. */
  replayBufferBytes: number
}

interface Registration {
  /** Resolves when the senders of node commands know that this node holds a socket of the user. */
  registered: () => Promise<void>
  /** Resolves when the connections of an app are counted. */
  counted: (app: string) => Promise<void>
}

interface LoginOptions {
  deviceId?: string | undefined
  clientKey?: string | undefined
  since?: number | undefined
}

export type LogIn = (
  socket: UserSocket,
  token: string,
  options: LoginOptions,
) => Promise<{ session: Session; caughtUp: CaughtUp | undefined }>

/**
 * Returns the work of `auth2`: it authenticates a socket and joins it to its user's rooms. When it resolves, every later event
 * reaches the socket; with `since`, every event since then has reached it. A socket of another user becomes the new user's. It
 * throws ApiError INVALID_TOKEN, INVALID_CLIENT_KEY, TOO_MANY_REQUESTS.
 */
export function createLogin(parts: LoginParts): LogIn {
  const locks = new KeyedMutex()
  return async (socket, token, options) => {
    if (locks.locksOf(socket.id) >= maxLoginsOfSocket) {
      const message = 'auth2: one call at a time, wait for its acknowledgement'
      throw new Dismissal('TOO_MANY_REQUESTS', message, { limit: 'logins_at_once', reason: 'too many logins at once' })
    }
    const presented = { token, clientKey: options.clientKey }
    return locks.run([socket.id], () =>
      countFailures(parts.failedLogins, socket, presented, () => logIn(parts, socket, token, options)),
    )
  }
}

async function logIn(parts: LoginParts, socket: UserSocket, token: string, options: LoginOptions) {
  const { limits, acceptQueue, logins, replay } = parts
  const { since } = options
  await limits.turn(socket)
  await acceptQueue.turn()
  const { session, rooms } = await logins.watch(async (hasEnded) => {
    const caller = await authenticate(parts, socket, token, options.clientKey, hasEnded)
    const { session, earlier } = parts.sessions.begin(socket, caller, {
      device: options.deviceId || socket.id,
      wantsServerTime: since !== undefined,
    })
    try {
      return { session, rooms: await enter(parts, socket, session, since !== undefined) }
    } catch (error) {
      const buffer = socket.stopBuffering()
      const mayStay = earlier?.isReady && buffer === 'whole' && !hasEnded(earlier.app, earlier.tokenDigest)
      if (mayStay) parts.sessions.restore(socket, session, earlier)
      else if (isOf(socket, session)) parts.sessions.end(socket)
      throw error
    }
  })
  // Outside the login, because it can take long and node commands already reach the session.
  const caughtUp = since === undefined ? undefined : await replay(socket, session, since, rooms)
  requireOf(socket, session)
  return { session, caughtUp }
}

async function authenticate(
  { authenticateSocket, acceptQueue, limits, sessions }: LoginParts,
  socket: UserSocket,
  token: string,
  clientKey: string | undefined,
  hasEnded: (app: string, tokenDigest: string) => boolean,
): Promise<AuthenticatedSocket> {
  requireConnected(socket)
  const caller = await authenticateSocket(token, clientKey)
  await acceptQueue.turn()
  requireConnected(socket)
  if (hasEnded(caller.app, caller.tokenDigest)) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
  limits.anotherOfUser(sessions.othersOf(socket, caller))
  return caller
}

/** Registers the user at this node, loads their rooms, and joins them. */
async function enter(
  parts: LoginParts,
  socket: UserSocket,
  session: Session,
  replays: boolean,
): Promise<readonly RoomOfUser[]> {
  const { registration, roomsOfUser, acceptQueue, queue, interest } = parts
  // Before the rooms are loaded: a later change of them waits for this node, an earlier one is in the data.
  await registration.registered()
  requireOf(socket, session)
  const rooms = await roomsOfUser(session)
  await acceptQueue.turn()
  requireOf(socket, session)
  queue.drain()
  if (replays) socket.startBuffering(parts.replayBufferBytes)
  joinRooms(socket, session, rooms)
  // Counted before the client knows that it is connected, so that the peak over all nodes is exact.
  await Promise.all([interest.effective(), registration.counted(session.app)])
  requireOf(socket, session)
  parts.sessions.ready(socket, session)
  return rooms
}

function requireConnected(socket: UserSocket): void {
  if (!socket.connected) throw new ApiError('INVALID_REQUEST', 'the socket is disconnected')
}

/** The client or a revocation may have disconnected the socket meanwhile. */
function requireOf(socket: UserSocket, session: Session): void {
  requireConnected(socket)
  if (!isOf(socket, session)) throw new ApiError('INVALID_TOKEN', 'the socket no longer belongs to the user')
}

/** A socket with this many failed logins in a row is closed (docs/reference/socket.md, "Authenticate"). */
const maxOfSocket = 3

/**
 * Counts a login that fails for a wrong token or client key.
 * @throws Dismissal, after which the client stays away, if the address or the socket has failed too often; and the
 *   error of the login
 */
async function countFailures<T>(
  failedLogins: FailedLogins,
  socket: UserSocket,
  presented: { token: string; clientKey: string | undefined },
  login: () => Promise<T>,
): Promise<T> {
  try {
    const outcome = await login()
    socket.data.failedLogins = 0
    return outcome
  } catch (error) {
    if (!(error instanceof ApiError) || failedLoginCode(error) === undefined) throw error
    const { token: INVALID_TOKEN, clientKey: INVALID_CLIENT_KEY } = presented
    const ofSocket = ++socket.data.failedLogins
    const judged = await failedLogins.judge(socket.handshake.address, error, { INVALID_TOKEN, INVALID_CLIENT_KEY })
    if (judged !== error && judged instanceof ApiError) {
      throw new Dismissal(
        judged.code,
        judged.message,
        { limit: 'failed_logins_per_address', reason: 'too many failed logins' },
        judged.details,
      )
    }
    if (ofSocket < maxOfSocket) throw error
    throw new Dismissal(error.code, error.message, { limit: 'failed_logins', reason: 'too many failed logins' })
  }
}
