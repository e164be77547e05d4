import { marginMS, readStreamStates } from '@parley/bus/stream/stream-state'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { getChanges as operation } from '@parley/contracts/operations/rooms/changes'
import { key } from '@parley/db/keys'
import { findInvitations } from '@parley/db/rooms/invitations'
import { findRootsOf } from '@parley/db/threads/thread-messages'
import { findPrefsOf } from '@parley/db/users/prefs'
import { findCreationTimes } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { busAway } from '../api-error-of.ts'
import type { Chat } from '../chat.ts'
import { JsonText, jsonObjectText, withField } from '../views/json-text.ts'
import { roomForMember } from './get-room.ts'
import { shownInvitations } from './invitations.ts'
import { areChangesKept, type Change, type ChangesPosition, readChanges } from './read-changes.ts'

/**
 * The caller's changes since a time (docs/reference/rooms.md#changes): the rooms with later events in the stream,
 * invitations and personal preferences, in their current state. The cost follows the number of changes; if the app has
 * more events than fit one page, the list of the user's room IDs is read too.
 * @throws ApiError CURSOR_GONE, SERVICE_UNAVAILABLE while the bus is away
 */
export async function changesSince(
  chat: Chat,
  caller: UserCaller,
  { since, limit }: Input<typeof operation>['query'],
): Promise<JsonText> {
  const [sinceMS = 0, ...seqs] = since.split('-').map(Number)
  return chat.limits.searches(caller, async () => {
    const { changes, next, nowMS } = await readFrom(chat, caller, { sinceMS, seqs })
    const deleted = changes.flatMap(({ deleted = [] }) => deleted)
    const roots = await findRootsOf(chat.db, deleted)
    const { rooms, invitedTo, prefs, stoppedAt } = sortChanges(changes, roots, limit)
    const texts: string[] = []
    const removed: string[] = []
    for (const [id, inRoom] of rooms) {
      const text = await roomText(chat, caller, id, inRoom)
      if (text === undefined) removed.push(id)
      else texts.push(text)
    }
    const invitations = await shownInvitations(chat.db, await findInvitations(chat.db, caller, [...invitedTo]))
    const found = await findPrefsOf(chat.db, caller, [...prefs])
    const deletedPrefs = [...prefs].filter((name) => !found.some((pref) => pref.name === name))
    const goOn = stoppedAt ?? next
    const cursor = cursorOf(goOn ?? { sinceMS: nowMS, seqs: [] })
    const rest = { removed, invitations, deletedPrefs, cursor, complete: !goOn }
    const withPrefs = withField(rest, 'prefs', jsonObjectText(found))
    return new JsonText([`{"rooms":[${texts.join(',')}],${withPrefs.slice(1)}`])
  })
}

const cursorOf = ({ sinceMS, seqs }: ChangesPosition) => [sinceMS, ...seqs].join('-')

async function readFrom(chat: Chat, caller: UserCaller, position: ChangesPosition) {
  // Read before the events: a room joined later appears in the next page, which starts from the time of this read.
  const states = [...(await readStreamStates(chat.bus).catch(busAway)).values()]
  const nowMS = Math.floor(Math.min(...states.map((state) => state.nowMS)))
  // An erased user's events must not reach a new user with the same ID.
  const { app, user } = caller
  const createdMS = (await findCreationTimes(chat.db, [key(app, user)])).get(key(app, user)) ?? 0
  const { sinceMS, seqs } = position
  if (sinceMS < createdMS || !(await areChangesKept(chat, caller, states, position))) {
    const details = { oldest: cursorOf({ sinceMS: nowMS, seqs: [] }) }
    throw new ApiError('CURSOR_GONE', 'since: the events since then are no longer kept; read all rooms', { details })
  }
  // The cursor's position minus the margin may lie before the user was created.
  const from = { sinceMS: Math.max(sinceMS - marginMS, createdMS), seqs }
  return { ...(await readChanges(chat, caller, from, createdMS).catch(busAway)), nowMS }
}

/** The changed room as JSON text; undefined if the user is not a member, or the room is deleted. */
async function roomText(
  chat: Chat,
  caller: UserCaller,
  id: string,
  { messages, threads, lastRead }: InRoom,
): Promise<string | undefined> {
  try {
    const { room, text } = await roomForMember(chat, caller, id)
    const markers = [...lastRead].map(([memberID, { messageID }]) => ({ memberID, messageID }))
    return withField({ seq: room.seq, messages, threads: [...threads], lastRead: markers }, 'room', text)
  } catch (error) {
    if (error instanceof ApiError && ['ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'].includes(error.code)) return undefined
    throw error
  }
}

const inMessages: ReadonlySet<string> = new Set([
  'chat message',
  'thread message',
  'messageUpdated',
  'messageDeleted',
  'userDeleteMessages',
  'threadLastRead',
])

interface InRoom {
  /** Whether messages of the room's history were added, changed or deleted. */
  messages: boolean
  /** Roots of threads with such changes, or that the user has read. */
  threads: Set<string>
  /** Per member: the last message read, and when. */
  lastRead: Map<string, { messageID: string; readMS: number }>
}

interface SortedChanges {
  rooms: Map<string, InRoom>
  invitedTo: Set<string>
  prefs: Set<string>
  /** Position of the first change that was left out. */
  stoppedAt: ChangesPosition | undefined
}

/**
 * Sorts changes by room, for at most `limit` rooms, and separately those outside rooms.
 * @param roots thread roots of deleted messages, by message
 */
function sortChanges(changes: readonly Change[], roots: ReadonlyMap<string, string>, limit: number): SortedChanges {
  const rooms = new Map<string, InRoom>()
  const [invitedTo, prefs] = [new Set<string>(), new Set<string>()]
  for (const change of changes) {
    const { at, room, pref } = change
    if (pref !== undefined) prefs.add(pref)
    if (change.invitedTo !== undefined) invitedTo.add(change.invitedTo)
    if (room === undefined) continue
    if (!rooms.has(room) && rooms.size >= limit) return { rooms, invitedTo, prefs, stoppedAt: at }
    const inRoom = rooms.get(room) ?? { messages: false, threads: new Set(), lastRead: new Map() }
    rooms.set(room, inRoom)
    addChange(inRoom, change, roots)
  }
  return { rooms, invitedTo, prefs, stoppedAt: undefined }
}

function addChange(
  inRoom: InRoom,
  { event, threadOf, deleted, lastRead, happenedMS }: Change,
  roots: ReadonlyMap<string, string>,
): void {
  if (lastRead) {
    const { memberID, messageID } = lastRead
    // An event that is published again may follow a later one.
    const isLater = happenedMS >= (inRoom.lastRead.get(memberID)?.readMS ?? 0)
    if (isLater) inRoom.lastRead.set(memberID, { messageID, readMS: happenedMS })
  }
  if (!inMessages.has(event)) return
  const ofThreads = deleted ? deleted.map((id) => roots.get(id)) : [threadOf]
  for (const root of ofThreads) {
    if (root === undefined) inRoom.messages = true
    else inRoom.threads.add(root)
  }
  // An empty list means that all messages were deleted.
  if (ofThreads.length === 0) inRoom.messages = true
}
