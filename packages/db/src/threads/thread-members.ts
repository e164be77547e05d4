import { inParts, readInParts } from '@parley/async/in-parts'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { key, keyRange, ofRoom } from '../keys.ts'
import type { MessageDoc } from '../messages/documents.ts'
import type { MembershipDoc } from '../rooms/documents.ts'
import { currentMarker, type MemberToPush, memberToPush, type ReadMarker, setUncounted } from '../rooms/memberships.ts'
import { type CountedThread, threadKey } from './thread.ts'

/**
 * The users of a thread: the senders of its root and its messages. Stored like a membership, with the thread's key as
 * `roomKey`. Outlives the membership of the room, so that a returning member takes part as before.
 */
export const threadMemberIndexes: IndexDescription[] = [
  { key: { userKey: 1 } },
  { key: { roomKey: 1, joinedAtMS: 1, _id: 1 } },
  { key: { roomKey: 1, readSeq: 1 } },
]

interface ThreadOf {
  app: string
  room: string
  /** ID of the root message. */
  root: string
}

export async function findThreadMember(
  db: Db,
  { app, room, root }: ThreadOf,
  user: string,
  session?: Session,
): Promise<MembershipDoc | null> {
  return db.threadMembers.findOne({ _id: key(app, room, root, user) }, { ...(session && { session }) })
}

/** Read markers in threads, by `key(app, room, root, user)`; users outside the thread are omitted. */
export async function findThreadReadSeqs(db: Db, keys: readonly string[]): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map()
  const found = db.threadMembers
    .find({ _id: { $in: [...keys] } })
    .project<Pick<MembershipDoc, '_id' | 'readSeq'>>({ readSeq: 1 })
  return new Map((await found.toArray()).map(({ _id, readSeq }) => [_id, readSeq]))
}

export async function joinThread(
  db: Db,
  { app, room, root }: ThreadOf,
  user: string,
  { joinedAtMS, ...marker }: ReadMarker & { joinedAtMS: number },
  session: Session,
): Promise<void> {
  const roomKey = threadKey({ app, room }, root)
  const _id = key(app, room, root, user)
  const member = { _id, app, room, roomKey, user, userKey: key(app, user), joinedAtMS, ...marker }
  await db.threadMembers.insertOne(member, { session })
}

/** Records another own message of a thread's user, which does not count as unread for that user. */
export async function countOwnInThread(
  db: Db,
  member: MembershipDoc,
  thread: CountedThread,
  session: Session,
): Promise<void> {
  const { readSeq, uncounted } = currentMarker(member, thread)
  await setUncounted(db.threadMembers, member._id, { readSeq, uncounted: uncounted + 1 }, session)
}

/** Records when a member of a room with slow mode sent to a thread. */
export async function recordThreadSent(
  db: Db,
  { app, room, user }: { app: string; room: string; user: string },
  atMS: number,
  session: Session,
): Promise<void> {
  await db.memberships.updateOne({ _id: key(app, room, user) }, { $set: { threadSentAtMS: atMS } }, { session })
}

type ThreadOfUser = ReadMarker & Pick<MembershipDoc, '_id' | 'room' | 'roomKey'>

/** All threads of a user, including those in rooms that the user has left. */
export async function findThreadsOfUser(db: Db, app: string, user: string, session: Session): Promise<ThreadOfUser[]> {
  const projection = { room: 1, roomKey: 1, readSeq: 1, uncounted: 1 }
  return db.threadMembers
    .find({ userKey: key(app, user) }, { session })
    .project<ThreadOfUser>(projection)
    .toArray()
}

export type ThreadMember = Pick<MembershipDoc, 'room' | 'roomKey' | 'user' | 'joinedAtMS' | 'readSeq' | 'notify'>

/** ID of the root message of a thread with this `roomKey`. */
export function rootOf(roomKey: string): string {
  return roomKey.slice(roomKey.lastIndexOf('\0') + 1)
}

/** All threads of a user from a key on, in order, including those in rooms that the user has left. */
export async function* threadsOfUser(db: Db, app: string, user: string, from: string): AsyncGenerator<ThreadMember> {
  yield* db.threadMembers
    .find({ userKey: key(app, user), roomKey: { $gte: from } })
    .hint({ userKey: 1 })
    .sort({ roomKey: 1 })
    .project<ThreadMember>({ _id: 0, room: 1, roomKey: 1, user: 1, joinedAtMS: 1, readSeq: 1, notify: 1 })
    // Small, so that the cursor does not expire while the caller reads the threads.
    .batchSize(1_000)
}

export type RootSummary = Required<Pick<MessageDoc, '_id' | 'app' | 'room' | 'thread'>>

export async function findRootsOfThreads(
  db: Db,
  threads: readonly Pick<ThreadOfUser, 'roomKey'>[],
  session?: Session,
): Promise<Map<string, RootSummary>> {
  const ids = [...new Set(threads.map(({ roomKey }) => rootOf(roomKey)))]
  const found = await db.messages
    .find({ _id: { $in: ids }, thread: { $exists: true } }, { ...(session && { session }) })
    .project<RootSummary>({ app: 1, room: 1, thread: 1 })
    .toArray()
  return new Map(found.map((root) => [threadKey(root, root._id), root]))
}

export async function* pageThreadUsers(
  db: Db,
  roomKey: string,
  perPage: number,
): AsyncGenerator<Pick<MembershipDoc, 'user' | 'roomKey'>[]> {
  const members = db.threadMembers
    .find({ _id: keyRange(roomKey) })
    .sort({ _id: 1 })
    .project<Pick<MembershipDoc, 'user' | 'roomKey'>>({ _id: 0, user: 1, roomKey: 1 })
    .batchSize(perPage)
  yield* readInParts(members, perPage)
}

/** The threads of a room in which these users take part. @param roots only of these, at most some hundred */
export async function findThreadUsers(
  db: Db,
  { app, room, users, roots }: { app: string; room: string; users: readonly string[]; roots?: readonly string[] },
  session?: Session,
): Promise<Pick<MembershipDoc, 'user' | 'roomKey'>[]> {
  const userKey = { $in: users.map((user) => key(app, user)) }
  const of = roots
    ? { roomKey: { $in: roots.map((root) => threadKey({ app, room }, root)) } }
    : { _id: keyRange(key(app, room)) }
  return db.threadMembers
    .find({ ...of, userKey }, { ...(!roots && { hint: { userKey: 1 } }), ...(session && { session }) })
    .project<Pick<MembershipDoc, 'user' | 'roomKey'>>({ _id: 0, user: 1, roomKey: 1 })
    .toArray()
}

export async function leaveThreads(db: Db, app: string, user: string): Promise<void> {
  await db.threadMembers.deleteMany({ userKey: key(app, user) })
}

/** Pages through the users to notify of a thread message: its users and the mentioned ones, if still members. */
export async function* pageThreadMembers(
  db: Db,
  { app, room, root }: ThreadOf,
  mentioned: ReadonlySet<string>,
  perPage: number,
): AsyncGenerator<MemberToPush[]> {
  const left = new Set(mentioned)
  const members = db.threadMembers
    .find(ofRoom(threadKey({ app, room }, root)))
    .sort({ joinedAtMS: 1, _id: 1 })
    .project<OfThread>({ _id: 0, user: 1, notify: 1 })
    .batchSize(perPage)
  let last: OfThread[] = []
  for await (const page of readInParts(members, perPage)) {
    for (const { user } of page) left.delete(user)
    if (page.length < perPage) last = page
    else yield findMembersToPush(db, app, room, page)
  }
  const outside = Array.from(left, (user) => ({ user }))
  for (const users of inParts([...last, ...outside], perPage)) yield findMembersToPush(db, app, room, users)
}

/** A user to notify, with the user's notification setting for the thread. */
type OfThread = Pick<MembershipDoc, 'user' | 'notify'>

async function findMembersToPush(
  db: Db,
  app: string,
  room: string,
  users: readonly OfThread[],
): Promise<MemberToPush[]> {
  const found = await db.memberships
    .find({ _id: { $in: users.map(({ user }) => key(app, room, user)) } })
    .sort({ joinedAtMS: 1, _id: 1 })
    .project<MemberToPush>(memberToPush)
    .toArray()
  const threads = new Map(users.flatMap(({ user, notify }) => (notify ? [[user, notify] as const] : [])))
  return found.map((member) => Object.assign(member, { thread: threads.get(member.user) }))
}

/** Notification settings for threads, by `key(app, room, root, user)`; users without a setting are omitted. */
export async function findThreadNotifications(
  db: Db,
  keys: readonly string[],
): Promise<Map<string, MembershipDoc['notify']>> {
  if (keys.length === 0) return new Map()
  const found = db.threadMembers
    .find({ _id: { $in: [...keys] }, notify: { $exists: true } })
    .project<Pick<MembershipDoc, '_id' | 'notify'>>({ notify: 1 })
  return new Map((await found.toArray()).map(({ _id, notify }) => [_id, notify]))
}
