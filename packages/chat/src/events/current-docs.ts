import { clock } from '@parley/async/clock'
import { isMove, type NodeCommand, nodeCommand } from '@parley/contracts/bus/control'
import type { Room } from '@parley/contracts/resources/room'
import type { Db } from '@parley/db/connect'
import { givenUpAfterMS } from '@parley/db/due-work'
import type { OutboxEntry } from '@parley/db/events/documents'
import { type AppUser, key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findMembersAmong } from '@parley/db/rooms/room-members'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import type { UserDoc } from '@parley/db/users/documents'
import { findUsers } from '@parley/db/users/users'
import { findQuoted, nothingQuoted, type Quoted } from '../messages/reading/quoted-messages.ts'
import { toRoomView } from '../views/room.ts'

/** A message, its sender's profile, and the message that it quotes. */
export interface SentMessageDoc {
  message: MessageDoc
  sender: UserDoc | undefined
  quoted: Quoted
}

/** The rooms and messages that outbox entries refer to, as they are at publishing. */
export interface CurrentDocs {
  message(id: string): SentMessageDoc | undefined
  room(app: string, id: string): Room | undefined
  /** Returns which of these users are members now. If absent, the members in the entries count. */
  members?: (app: string, room: string, users: readonly string[]) => Promise<ReadonlySet<string>>
}

export const noDocs: CurrentDocs = { message: () => undefined, room: () => undefined }

/** Documents that a change has just written and that need not be read again. */
export function justWritten({
  messages = [],
  room,
}: {
  messages?: readonly SentMessageDoc[]
  room?: Room
}): CurrentDocs {
  const byId = new Map(messages.map((sent) => [sent.message._id, sent]))
  return {
    message: (id) => byId.get(id),
    room: (app, id) => (room?.appID === app && room._id === id ? room : undefined),
  }
}

/** Messages that a change has just written, whose events need neither the sender's profile nor quotes. */
export function justChanged(messages: readonly MessageDoc[]): CurrentDocs {
  return justWritten({ messages: messages.map((message) => ({ message, sender: undefined, quoted: nothingQuoted })) })
}

/**
 * Documents that a change wrote at a time (Unix milliseconds), read again if this process has stalled since: by then others
 * can have published and changed them.
 */
export async function refreshIfStale(
  db: Db,
  entries: readonly WithEvents[],
  written: CurrentDocs,
  atMS: number,
): Promise<CurrentDocs> {
  if (clock.now() <= atMS + givenUpAfterMS) return written
  const now = await readCurrentDocs(db, entries)
  // A message that is not flushed has not changed.
  return { ...now, message: (id) => now.message(id) ?? written.message(id) }
}

type WithEvents = Pick<OutboxEntry, 'events'>

/**
 * Reads the documents that entries refer to, in a few round trips for any number of entries. Members are read later, when a
 * node command is published.
 */
export async function readCurrentDocs(db: Db, entries: readonly WithEvents[]): Promise<CurrentDocs> {
  const events = entries.flatMap((entry) => entry.events)
  const ids = events.flatMap((event) => (event.kind === 'message' ? [event.message] : []))
  const found = await findMessages(db, ids)
  const named = events.flatMap((event) => (event.kind === 'room' ? [key(event.app, event.room)] : []))
  const rooms = await findRoomsByKey(db, [...new Set([...found.map(({ app, room }) => key(app, room)), ...named])])
  const roomByKey = new Map(rooms.map((room) => [room._id, room]))
  const quoted = await findQuoted(db, found)
  const toShow = new Set(named)
  const shownRooms = rooms.filter(({ _id }) => toShow.has(_id))
  const users = await findProfiles(db, [
    ...found.map(({ app, sender }) => ({ app, user: sender })),
    ...shownRooms.flatMap(({ app, firstMembers }) => firstMembers.map((user) => ({ app, user }))),
  ])
  const roomOf = ({ app, room }: MessageDoc) => roomByKey.get(key(app, room)) ?? {}
  const messages = new Map(found.map((message) => [message._id, currentMessage(message, roomOf(message))]))
  return {
    message(id) {
      const message = messages.get(id)
      return message && { message, sender: users.get(message.app)?.get(message.sender), quoted }
    },
    room(app, id) {
      const room = roomByKey.get(key(app, id))
      return room && toRoomView(room, users.get(app) ?? new Map())
    },
    members: (app, id, users) => findMembersAmong(db, { app, id }, users),
  }
}

async function findProfiles(db: Db, users: readonly AppUser[]): Promise<Map<string, Map<string, UserDoc>>> {
  const byApp = Map.groupBy(users, ({ app }) => app)
  const found = [...byApp].map(async ([app, own]) => {
    const ids = own.map(({ user }) => user)
    return [app, await findUsers(db, app, ids)] as const
  })
  return new Map(await Promise.all(found))
}

/**
 * A stored node command with only the users that it still applies to. A delayed command joins only current members and
 * removes only former ones: a user added and removed while the bus was away must not get the room's events between the
 * two commands. A command without users is published too: nodes remember its ID, and ignore it from a process that read
 * the members earlier.
 */
export async function currentCommand(app: string, json: string, now: CurrentDocs): Promise<NodeCommand> {
  const command = nodeCommand.parse(JSON.parse(json))
  if (!isMove(command) || !now.members) return command
  const members = await now.members(app, command.room, command.users)
  return { ...command, users: command.users.filter((user) => members.has(user) === (command.do === 'joined')) }
}
