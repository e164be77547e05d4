import type { AuthenticateSocket } from '@parley/chat/authenticate-user'
import type { Chat } from '@parley/chat/chat'
import type { RoomsOfUser } from '@parley/chat/rooms-of-user'
import { ApiError } from '@parley/contracts/errors'
import { carryOut, type RecentRevocations } from './control.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import type { Limits } from './limits.ts'
import type { RoomInterest } from './room-interest.ts'
import type { Session, UserSocket } from './session.ts'
import { socketRoom } from './socket-rooms.ts'
import type { Sockets } from './sockets.ts'

export interface AuthenticateParts {
  chat: Chat
  authenticateSocket: AuthenticateSocket
  roomsOfUser: RoomsOfUser
  sockets: Sockets
  interest: RoomInterest
  queue: DeliveryQueue
  revocations: RecentRevocations
  limits: Limits
  /** Settles when the connections of an app are counted. */
  counted: (app: string) => Promise<void>
}

/**
 * `auth2`: makes a connection a user's, and puts it into the rooms of the user. When this settles, every
 * event published from now on reaches the socket. A socket that was somebody's already becomes the new one's.
 * @throws ApiError INVALID_TOKEN, INVALID_CLIENT_KEY, TOO_MANY_REQUESTS
 */
export async function authenticate(
  parts: AuthenticateParts,
  socket: UserSocket,
  token: string,
  options: { deviceId?: string | undefined; clientKey?: string | undefined },
): Promise<Session> {
  const { chat, sockets, interest, revocations, limits } = parts
  const { auth } = socket.handshake
  const clientKey = options.clientKey ?? (typeof auth['clientKey'] === 'string' ? auth['clientKey'] : undefined)
  await limits.turn()
  const caller = await parts.authenticateSocket(token, clientKey)
  forget(sockets, socket)
  if (!socket.connected) throw new ApiError('INVALID_TOKEN', 'the socket is disconnected')
  const { app, user } = caller
  limits.anotherOfUser([...sockets.ofUser(app, user)].length)
  const session: Session = {
    app,
    user,
    device: options.deviceId ?? socket.id,
    token: caller.token,
    expiresAtMS: caller.expiresAt.getTime(),
    early: [],
  }
  // Known before its rooms are read: orders that change them meanwhile wait in `early`.
  sockets.add(socket, session)
  if (revocations.has(caller.token)) {
    forget(sockets, socket)
    throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
  }
  try {
    const rooms = await parts.roomsOfUser(session)
    parts.queue.drain()
    socket.join(socketRoom({ app, user }))
    for (const room of rooms) socket.join(socketRoom({ app, room }))
    const early = session.early ?? []
    session.early = undefined
    for (const order of early) carryOut(socket, session, order)
    // Counted before the client knows that it is connected: so a peak over all nodes is a true one.
    await Promise.all([interest.effective(), parts.counted(app)])
  } catch (error) {
    forget(sockets, socket)
    throw error
  }
  noteLogin(chat, socket, session)
  return session
}

/** The socket is nobody's any more and leaves all rooms. */
function forget(sockets: Sockets, socket: UserSocket): void {
  sockets.remove(socket)
  for (const room of socket.rooms ?? []) socket.leave(room.name)
}

function noteLogin(chat: Chat, socket: UserSocket, { app, user }: Session): void {
  const { address, headers } = socket.handshake
  const userAgent = headers['user-agent']
  const login = {
    app,
    user,
    atMS: Date.now(),
    address: { address, family: address.includes(':') ? 'IPv6' : 'IPv4', port: 0 },
    ...(userAgent !== undefined && { userAgent }),
  }
  chat.recordLogin(login).catch((error: unknown) => chat.log.warn({ err: error, user }, 'login not noted'))
}
