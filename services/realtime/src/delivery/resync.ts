import { inParts } from '@parley/async/in-parts'
import type { Bus } from '@parley/bus/connect'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import { replayEvents } from '@parley/bus/stream/replay'
import { marginMS } from '@parley/bus/stream/stream-state'
import { activeTokens } from '@parley/chat/access/tokens'
import type { Chat } from '@parley/chat/chat'
import type { RoomsOfUser } from '@parley/chat/rooms/rooms-of-user'
import { closeSocket } from '../connections/close-socket.ts'
import type { Session, UserSocket } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'
import { joinRooms } from '../logins/join-rooms.ts'
import type { Logins } from '../logins/logins.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import { InOrder } from './in-order.ts'
import type { LiveOrder } from './live-order.ts'
import type { RoomInterest } from './room-interest.ts'
import { isAfterJoin, topicOf } from './topics.ts'

const usersAtOnce = 50

export interface ResyncParts {
  chat: Chat
  bus: Bus
  roomsOfUser: RoomsOfUser
  sockets: Sockets
  logins: Logins
  interest: RoomInterest
  queue: DeliveryQueue
  order: Pick<LiveOrder, 'learn' | 'missed'>
  /** How long a message waits for an earlier one. */
  waitMS: number
  /** Delivers an event again, except to some sockets. */
  redeliver: (event: IncomingEvent, except: readonly UserSocket[]) => void
}

/**
 * Returns the resync function, which brings this node's sockets up to date after the bus was away. It reads the effects of
 * missed node commands from the database (ended tokens, rooms joined and left), then delivers missed events from the stream. Some
 * come twice: clients dedupe by _id (docs/reference/socket.md, "Connect"). Live events wait until it succeeds: they could reach
 * members who have left meanwhile, and overtake missed ones.
 *
 * It takes the time (ms) at which the outage was noticed, and returns the number of events read again. One runs at a time. After
 * a failure, the caller must try again.
 */
export function createResync(parts: ResyncParts): (awaySinceMS: number) => Promise<number> {
  const { queue } = parts
  let before: Promise<unknown> = Promise.resolve()
  let last: Promise<number> | undefined
  return (awaySinceMS) => {
    queue.hold()
    const outcome = before.then(async () => {
      try {
        const events = await resync(parts, awaySinceMS)
        if (outcome === last) queue.release()
        return events
      } catch (error) {
        // The next attempt reads them from the stream.
        queue.drop()
        throw error
      }
    })
    before = Promise.allSettled([outcome])
    last = outcome
    return outcome
  }
}

async function resync(parts: ResyncParts, awaySinceMS: number): Promise<number> {
  const { chat, bus, sockets, logins, interest, queue, order, waitMS, redeliver } = parts
  // NATS has this node's subscriptions again: no node command is missed from now on.
  await bus.nats.flush()
  // Logins can have read outdated data, and missed the node commands about it.
  await logins.finished()
  const held = [...sockets.all()].flatMap((socket) => {
    const { session } = socket.data
    return session?.isReady ? [{ socket, session }] : []
  })
  await disconnectRevoked(chat, held)
  const users = [...Map.groupBy(held, ({ session }) => topicOf({ app: session.app, user: session.user })).values()]
  const fromMS = awaySinceMS - marginMS
  const joined: Join[] = []
  for (const some of inParts(users, usersAtOnce)) {
    const ofUsers = await Promise.all(some.map((ofUser) => rereadRooms(parts, ofUser, fromMS)))
    for (const join of ofUsers.flat()) joined.push(join)
  }
  const joins = Map.groupBy(joined, ({ topic }) => topic)
  await interest.effective()
  order.missed()
  const ofStream = new InOrder<IncomingEvent & { takenAtMS: number }>({
    waitMS,
    deliver(event) {
      const later =
        joins.get(topicOf(event.to))?.filter((join) => !isAfterJoin(event, event.takenAtMS, join.atMS)) ?? []
      redeliver(
        event,
        later.map(({ socket }) => socket),
      )
    },
  })
  try {
    return await replayEvents(bus, fromMS, (event, takenAtMS) => {
      ofStream.expire(takenAtMS)
      if (interest.has(topicOf(event.to))) ofStream.take({ ...event, takenAtMS }, takenAtMS)
    })
  } finally {
    order.learn(ofStream.nextSeqs(), true)
    for (const event of ofStream.waiting()) if (interest.has(topicOf(event.to))) queue.add(event)
  }
}

/** A socket and its session at the time of reading; it may have another session by now. */
interface Held {
  socket: UserSocket
  session: Session
}

interface Join {
  socket: UserSocket
  topic: string
  atMS: number
}

const isStill = ({ socket, session }: Held) => socket.data.session === session

async function disconnectRevoked(chat: Chat, held: readonly Held[]): Promise<void> {
  const active = await activeTokens(
    chat,
    held.map(({ session }) => session),
  )
  for (const one of held) if (!active.has(one.session) && isStill(one)) closeSocket(one.socket, 'token ended')
}

/**
 * Puts one user's sockets into the user's current rooms and takes them out of all others. Leaves out sockets that are
 * authenticating again: their login does it, and applies the node commands since. Returns the joins after a time.
 */
export async function rereadRooms(
  { roomsOfUser }: Pick<ResyncParts, 'roomsOfUser'>,
  ofUser: readonly Held[],
  sinceMS: number,
): Promise<Join[]> {
  const held = ofUser.filter((one) => isStill(one) && one.session.commands === undefined)
  const [first] = held
  if (!first) return []
  for (const { session } of held) session.commands = []
  try {
    const rooms = await roomsOfUser(first.session)
    for (const one of held) if (isStill(one)) joinRooms(one.socket, one.session, rooms)
    const { app } = first.session
    return rooms
      .filter(({ joinedAtMS }) => joinedAtMS > sinceMS)
      .flatMap(({ room, joinedAtMS }) =>
        held.map(({ socket }) => ({ socket, topic: topicOf({ app, room }), atMS: joinedAtMS })),
      )
  } finally {
    for (const { session } of held) session.commands = undefined
  }
}
