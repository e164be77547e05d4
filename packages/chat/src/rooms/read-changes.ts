import type { Bus } from '@parley/bus/connect'
import { type IncomingEvent, toIncomingEvent } from '@parley/bus/events/incoming'
import { positionAt } from '@parley/bus/stream/find-stored'
import {
  exactSubjects,
  openReading,
  type Positions,
  type StreamsReading,
  type SubjectsOfStreams,
  takenAt,
} from '@parley/bus/stream/read-stream'
import { marginMS, reachesBack, type StreamState } from '@parley/bus/stream/stream-state'
import { capturedEventsSubject } from '@parley/contracts/bus/subjects'
import type { EventPayload, ServerEvent } from '@parley/contracts/socket/server-events'
import type { Db } from '@parley/db/connect'
import type { StreamStateDoc } from '@parley/db/events/documents'
import { findStreamStates, onTheWayMS } from '@parley/db/events/stream-state'
import { findRoomIdsOfUser, findRoomsOfMember } from '@parley/db/rooms/rooms-of-users'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'

/** A time (Unix milliseconds), and an exact position per stream index if known; 0 or missing otherwise. */
export interface ChangesPosition {
  sinceMS: number
  seqs: readonly number[]
}

/** The part of an event about a room or personal preference of the user. */
export interface Change {
  at: ChangesPosition
  happenedMS: number
  event: ServerEvent
  room?: string
  /** Root of the thread of a new or changed message, or of the thread that the user has read. */
  threadOf?: string | undefined
  /** IDs of deleted messages, or `_all`. */
  deleted?: readonly string[]
  invitedTo?: string
  pref?: string
  lastRead?: EventPayload<'lastRead'>
}

/** Maximum number of events that a page reads, which bounds its time. The next page continues from there. */
const maxEvents = 5_000
/**
 * If the whole app has at most this many events, all are read first, and then those of the user's rooms are picked.
 * That costs less than listing all rooms of the user.
 */
const maxOfApp = 1_000

/**
 * Changes in the user's rooms and of the user, from a position on, in order. `next` is the position to continue from if
 * one page is not enough.
 * @param createdMS when the user was created: older events belong to an erased user with the same ID
 * @throws if the bus is away
 */
export async function readChanges(
  { bus, db }: { bus: Bus; db: Db },
  { app, user }: UserCaller,
  position: ChangesPosition,
  createdMS: number,
): Promise<{ changes: Change[]; next: ChangesPosition | undefined }> {
  const of = { user, createdMS }
  const whole = new Map(bus.streams.names.map((stream) => [stream, [capturedEventsSubject(app)]]))
  const from = await positionsAt(bus, position)
  const ofApp = await readAll(bus, whole, from, of, maxOfApp)
  if (ofApp) {
    const rooms = new Set(ofApp.changes.flatMap(({ event, room }) => (isOfUser(event) ? [] : (room ?? []))))
    const mine = new Set(await findRoomsOfMember(db, app, user, [...rooms]))
    return { ...ofApp, changes: ofMine(ofApp.changes, mine) }
  }
  const mine = new Set(await findRoomIdsOfUser(db, app, user))
  const audiences = [{ app, user }, ...[...mine].map((room) => ({ app, room }))]
  const read = await readAll(bus, exactSubjects(bus, audiences, position.sinceMS) ?? whole, from, of)
  return { next: read?.next, changes: ofMine(read?.changes ?? [], mine) }
}

async function positionsAt(bus: Bus, { sinceMS, seqs }: ChangesPosition): Promise<Positions> {
  const positions = bus.streams.names.map(async (stream, index) => {
    const seq = seqs[index] ?? 0
    return [stream, seq > 0 ? seq : await positionAt(bus, stream, sinceMS)] as const
  })
  return new Map(await Promise.all(positions))
}

interface ChangedFor {
  user: string
  createdMS: number
}

const userEvents: ReadonlySet<ServerEvent> = new Set([
  ...(['removedFromRoom', 'roomPref', 'userDeleteMessages', 'threadLastRead'] as const),
  ...(['myPrefChange', 'myPrefDelete', 'invitation'] as const),
])
const isOfUser = (event: ServerEvent) => userEvents.has(event)

const ofMine = (changes: readonly Change[], mine: ReadonlySet<string>) =>
  changes.filter(({ event, room = '' }) => isOfUser(event) || mine.has(room))

/** Reads all events; undefined if there are more than `max`. */
async function readAll(
  bus: Bus,
  subjects: SubjectsOfStreams,
  from: Positions,
  of: ChangedFor,
  max = Number.POSITIVE_INFINITY,
): Promise<{ changes: Change[]; next: ChangesPosition | undefined } | undefined> {
  const reading = await openReading(bus, subjects, (stream) => ({ fromSeq: from.get(stream) ?? 1 }))
  try {
    return reading.pending > max ? undefined : await collect(bus, reading, from, of)
  } finally {
    await reading.close()
  }
}

async function collect(
  bus: Bus,
  reading: StreamsReading,
  from: Positions,
  of: ChangedFor,
): Promise<{ changes: Change[]; next: ChangesPosition | undefined }> {
  const { names } = bus.streams
  const changes: Change[] = []
  const seqs = names.map((stream) => from.get(stream) ?? 0)
  let count = 0
  for await (const message of reading.pendingMessages()) {
    const { info } = message
    const stream = names.indexOf(info.stream)
    seqs[stream] = info.streamSequence
    const at = { sinceMS: takenAt(message), seqs: [...seqs] }
    seqs[stream] = info.streamSequence + 1
    if (++count > maxEvents) return { changes, next: at }
    const change = readChange(bus, message, at, of)
    if (change) changes.push(change)
  }
  return { changes, next: undefined }
}

/** The change for the user; undefined if the event is none, or is unreadable, which is counted. */
function readChange(
  bus: Bus,
  message: Parameters<typeof toIncomingEvent>[0],
  at: ChangesPosition,
  { user, createdMS }: ChangedFor,
): Change | undefined {
  try {
    const event = toIncomingEvent(message)
    const happenedMS = event.republished?.atMS ?? at.sinceMS
    return happenedMS < createdMS ? undefined : toChange({ at, happenedMS }, event, user)
  } catch (error) {
    bus.malformed(error as Error, message.subject)
    return undefined
  }
}

function toChange(
  when: Pick<Change, 'at' | 'happenedMS'>,
  { to, event, data }: IncomingEvent,
  user: string,
): Change | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const payload = <E extends ServerEvent>() => JSON.parse(bytes.toString()) as EventPayload<E>
  if ('room' in to) {
    const change = { ...when, event, room: to.room }
    if (event === 'lastRead') return { ...change, lastRead: payload<typeof event>() }
    if (event === 'messageDeleted') return { ...change, deleted: [payload<typeof event>().messageID] }
    // Most messages are in no thread and need not be parsed.
    return bytes.includes('"threadOf"') ? { ...change, threadOf: payload<'messageUpdated'>().threadOf } : change
  }
  if (to.user !== user) return undefined
  switch (event) {
    case 'myPrefChange':
      return { ...when, event, pref: payload<typeof event>().key }
    case 'myPrefDelete':
      return { ...when, event, pref: payload<typeof event>() }
    case 'invitation':
      return { ...when, event, invitedTo: payload<typeof event>().room }
    case 'userDeleteMessages': {
      const { room, messages } = payload<typeof event>()
      return { ...when, event, room, deleted: messages }
    }
    case 'threadLastRead': {
      const { roomID: room, threadOf } = payload<typeof event>()
      return { ...when, event, room, threadOf }
    }
    case 'removedFromRoom':
    case 'roomPref':
      return { ...when, event, room: payload<typeof event>().room }
    default:
      return undefined
  }
}

/**
 * Whether the streams have all of the caller's changes since a position. A stream that replaces a lost one has them
 * once they are republished. Streams without events of the caller and their rooms do not count.
 */
export async function areChangesKept(
  { bus, db }: Pick<Chat, 'bus' | 'db'>,
  { app, user }: UserCaller,
  states: readonly StreamState[],
  { sinceMS, seqs }: ChangesPosition,
): Promise<boolean> {
  const lacking = states.filter((state, index) => !reachesBack(state, { sinceMS, seq: seqs[index] ?? 0 }))
  if (lacking.length === 0) return true
  const known = await findStreamStates(db)
  const lost = lacking.filter((state) => !isRebuilt(state, known.get(state.name), sinceMS))
  if (lost.length === 0) return true
  // Always so for a single stream, or a time in the future.
  if (lost.length === states.length) return false
  const rooms = await findRoomIdsOfUser(db, app, user)
  const fromMS = sinceMS - marginMS
  const own = [{ app, user }, ...rooms.map((room) => ({ app, room }))].flatMap((to) =>
    bus.streams.streamsOf(to, fromMS),
  )
  const concerned = new Set(own)
  return !lost.some(({ name }) => concerned.has(name))
}

function isRebuilt(
  { createdAtMS, isWhole, nowMS }: StreamState,
  known: StreamStateDoc | undefined,
  sinceMS: number,
): boolean {
  if (!known?.begins || known.rebuilding || !isWhole || sinceMS > nowMS + marginMS) return false
  return Date.parse(known.created) === createdAtMS && sinceMS - marginMS > known.begins.sinceMS + onTheWayMS
}
