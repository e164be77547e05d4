import type { Bus } from '@parley/bus/connect'
import { replayEvents } from '@parley/bus/replay'
import { livingTokens } from '@parley/chat/authenticate-user'
import type { Chat } from '@parley/chat/chat'
import type { RoomsOfUser } from '@parley/chat/rooms-of-user'
import type { DeliveryQueue } from './delivery-queue.ts'
import type { RoomInterest } from './room-interest.ts'
import type { UserSocket } from './session.ts'
import { socketRoom } from './socket-rooms.ts'
import type { Sockets } from './sockets.ts'

/** Longer than it takes to notice that the bus is away: what passed unheard before that is told again. */
const marginMS = 15_000
const usersAtOnce = 50

export interface ResyncParts {
  chat: Chat
  bus: Bus
  roomsOfUser: RoomsOfUser
  sockets: Sockets
  interest: RoomInterest
  queue: DeliveryQueue
}

/**
 * Brings the sockets of this node up to date after the bus was away: orders that it missed are found in the database
 * (tokens that ended, rooms joined and left), then the events that passed meanwhile are delivered from the stream.
 * Some come twice: clients de-duplicate by _id (interface.md, "Events").
 *
 * @param awaySinceMS when the bus was found to be away
 * @returns how many events were read again
 */
export async function resync(parts: ResyncParts, awaySinceMS: number): Promise<number> {
  const { chat, bus, roomsOfUser, sockets, interest, queue } = parts
  queue.drain()
  const held = [...sockets.all()]
  await disconnectRevoked(chat, held)
  const byUser = Map.groupBy(
    held.filter(({ data }) => data.session),
    ({ data }) => socketRoom(data.session as { app: string; user: string }),
  )
  const users = [...byUser.values()]
  for (let i = 0; i < users.length; i += usersAtOnce) {
    await Promise.all(users.slice(i, i + usersAtOnce).map((of) => moveBetweenRooms(roomsOfUser, of)))
  }
  await interest.effective()
  return replayEvents(bus, awaySinceMS - marginMS, (event) => queue.add(event))
}

async function disconnectRevoked(chat: Chat, held: readonly UserSocket[]): Promise<void> {
  const sessions = held.flatMap(({ data }) => (data.session ? [data.session] : []))
  const living = await livingTokens(chat.db, sessions)
  for (const socket of held) {
    const { session } = socket.data
    if (session && !living.has(session.token)) socket.disconnect(true)
  }
}

/** Puts the sockets of one user into the rooms that he is in now, and takes them out of all others. */
async function moveBetweenRooms(roomsOfUser: RoomsOfUser, held: readonly UserSocket[]): Promise<void> {
  const session = held[0]?.data.session
  if (!session) return
  const { app, user } = session
  const rooms = await roomsOfUser(session)
  const wanted = new Set([socketRoom({ app, user }), ...rooms.map((room) => socketRoom({ app, room }))])
  for (const socket of held) {
    for (const { name } of [...(socket.rooms ?? [])]) if (!wanted.has(name)) socket.leave(name)
    for (const name of wanted) if (!socket.isIn(name)) socket.join(name)
  }
}
