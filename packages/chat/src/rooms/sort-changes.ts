import type { Change, ChangesPosition } from './read-changes.ts'

const inMessages: ReadonlySet<string> = new Set([
  'chat message',
  'thread message',
  'messageUpdated',
  'messageDeleted',
  'userDeleteMessages',
  'threadLastRead',
])

/** The changes of one room. */
export interface InRoom {
  /** Whether messages of the room's history were added, changed or deleted. */
  messages: boolean
  /** Roots of threads with such changes, or that the user has read. */
  threads: Set<string>
  /** Per member: the last message read, and when. */
  lastRead: Map<string, { messageID: string; readMS: number }>
}

export interface SortedChanges {
  rooms: Map<string, InRoom>
  /** Rooms that the user was invited to. */
  invitedTo: Set<string>
  /** Keys of personal preferences. */
  prefs: Set<string>
  /** Position of the first change that was left out. */
  stoppedAt: ChangesPosition | undefined
}

/**
 * Sorts changes by room, for at most `limit` rooms, and separately those outside rooms.
 * @param roots thread roots of deleted messages, by message
 */
export function sortChanges(
  changes: readonly Change[],
  roots: ReadonlyMap<string, string>,
  limit: number,
): SortedChanges {
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
    note(inRoom, change, roots)
  }
  return { rooms, invitedTo, prefs, stoppedAt: undefined }
}

function note(
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
