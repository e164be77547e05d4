import { readJson } from '@parley/contracts/free-json'
import type { Message } from '@parley/contracts/resources/message'
import type { Db } from '@parley/db/connect'
import type { OutboxEntry } from '@parley/db/events/documents'
import { key } from '@parley/db/keys'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import { findSentMessages } from '@parley/db/messages/messages'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { findSenders, findUsers } from '@parley/db/users/users'
import { readCurrentDocs } from '../events/current-docs.ts'
import { isShownRecalled } from '../messages/changing/recalled.ts'
import { findQuoted } from '../messages/reading/quoted-messages.ts'
import { toMessageView, toSenderView } from '../views/message.ts'

type Call = Pick<OutgoingCallDoc, '_id' | 'app' | 'room' | 'event' | 'client' | 'data'>

/** Events whose calls carry a Message. */
const withMessage: ReadonlySet<string> = new Set(['MESSAGE', 'MESSAGE_UPDATED', 'MESSAGE_DELETED', 'PUSH'])

interface About {
  _id?: unknown
  replyTo?: { text?: unknown }
  isDeleted?: unknown
  roomName?: unknown
  pushToClients?: string[]
  because?: unknown
}

/** The kept part of a finished call's data, as JSON: the IDs of its message and recipients, no contents. */
export function keptCallData({ event, data = 'null' }: Pick<Call, 'event' | 'data'>): string {
  if (event === 'ROOM') return '{}'
  if (!withMessage.has(event)) return data
  const about = JSON.parse(data) as About | null
  if (typeof about?._id !== 'string') return data
  const { _id, roomName, pushToClients, because } = about
  return JSON.stringify({ _id, roomName, pushToClients, because })
}

/** A finished call's data as JSON, with its current message or room: a stub if deleted, an ID for an erased user. */
export async function currentCallData(db: Db, call: Call): Promise<string> {
  const [data = 'null'] = await currentCallsData(db, call.app, [call])
  return data
}

/** Like currentCallData, for many calls of an app in a few round trips. Returns the data in order. */
export async function currentCallsData(db: Db, app: string, calls: readonly Omit<Call, 'app'>[]): Promise<string[]> {
  const parsed = calls.map((call) => ({ ...call, about: aboutOf(call) }))
  const entries = parsed.filter(isOfRoom).map(({ _id, room }) => toEntry(app, _id, room))
  const names = parsed.flatMap(({ room, about }) => (typeof about?._id === 'string' ? { room, id: about._id } : []))
  const recipients = parsed.flatMap(({ about }) => about?.pushToClients ?? [])
  const [rooms, messages, known] = await Promise.all([
    readCurrentDocs(db, entries),
    messagesNow(db, app, names),
    findUsers(db, app, recipients),
  ])
  return parsed.map(({ room: roomId, event, client, data = 'null', about }) => {
    if (event === 'ROOM') {
      const room = rooms.room(app, roomId)
      return room ? JSON.stringify({ ...room, room: roomId, sender: client }) : data
    }
    const view = messages(roomId, String(about?._id))
    if (!view) return data
    const { roomName, pushToClients, because } = about ?? {}
    const left = pushToClients?.filter((user) => known.has(user))
    return JSON.stringify({ ...view, roomName, pushToClients: left, because })
  })
}

const isOfRoom = ({ event }: Pick<Call, 'event'>) => event === 'ROOM'

function toEntry(app: string, id: string, room: string): OutboxEntry {
  return { _id: id, atMS: 0, events: [{ kind: 'room', id, app, room }] }
}

function aboutOf({ event, data = 'null' }: Pick<Call, 'event' | 'data'>): About | null {
  return withMessage.has(event) ? (readJson(data) as About | null) : null
}

/** A waiting call's data: unchanged, unless its message or a named user was deleted, recalled or erased meanwhile. */
export async function waitedCallData(db: Db, call: Call): Promise<string> {
  const { app, room, event, data = 'null' } = call
  if (event === 'ROOM') return withoutErased(db, app, data)
  const before = aboutOf(call)
  if (typeof before?._id !== 'string') return data
  if (before.isDeleted === true) return withoutErased(db, app, data)
  const view = (await messagesNow(db, app, [{ room, id: before._id }]))(room, before._id)
  if (!view) return withoutErased(db, app, JSON.stringify(stubOf(before)))
  if (view.isDeleted || isShownRecalled(view)) return currentCallData(db, call)
  const quoteIsGone = Boolean(before.replyTo?.text) && !view.replyTo?.text
  return withoutErased(db, app, quoteIsGone ? JSON.stringify({ ...before, replyTo: view.replyTo }) : data)
}

/** The Message of a call without its contents and quotes, as if it were deleted. */
function stubOf(before: About): object {
  const left = Object.entries(before).filter(([name]) => !contents.has(name))
  return { ...Object.fromEntries(left), reactions: [], reactionCount: 0, isDeleted: true }
}

const contents: ReadonlySet<string> = new Set<keyof Message>([
  ...(['message', 'mentions', 'attachments', 'pinned', 'streaming', 'expiresAtMS'] as const),
  ...(['replyTo', 'lastThreadMessage'] as const),
])

/** Returns a lookup of current messages, which gives undefined for an ID that is not a message of the room. */
async function messagesNow(
  db: Db,
  app: string,
  wanted: readonly { room: string; id: string }[],
): Promise<(room: string, id: string) => Message | undefined> {
  const messages = wanted.map(({ room, id }) => ({ _id: id, roomKey: key(app, room) }))
  const sent = await findSentMessages(db, messages)
  const found = [...sent.values()]
  const rooms = await findRoomsByKey(db, [...new Set(found.map(({ room }) => key(app, room)))])
  const roomOf = new Map(rooms.map((room) => [room._id, room]))
  const quoted = await findQuoted(db, found)
  const senders = await findSenders(db, app, found)
  return (roomId, id) => {
    const [message, room] = [sent.get(id), roomOf.get(key(app, roomId))]
    if (!message || !room || message.room !== room.id) return undefined
    return toMessageView(currentMessage(message, room), senders.get(message.sender), quoted)
  }
}

interface WithProfiles {
  sender?: unknown
  members?: unknown
}

/** The data of a call as JSON text, with erased users reduced to their IDs. */
async function withoutErased(db: Db, app: string, data: string): Promise<string> {
  const about = readJson(data) as WithProfiles | null
  const named = [about?.sender, about?.members].flat().flatMap((one) => idOf(one) ?? [])
  const known = await findUsers(db, app, named)
  if (named.every((id) => known.has(id))) return data
  const asOfNow = (one: unknown) => {
    const id = idOf(one)
    return id === undefined || known.has(id) ? one : toSenderView(id, undefined)
  }
  const { sender, members } = about ?? {}
  return JSON.stringify({
    ...about,
    sender: asOfNow(sender),
    ...(Array.isArray(members) && { members: members.map(asOfNow) }),
  })
}

function idOf(profile: unknown): string | undefined {
  return typeof profile === 'object' && profile !== null && '_id' in profile ? String(profile._id) : undefined
}
