import { clock } from '@parley/async/clock'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { type AppUser, idsOf, key, keyRange } from '../keys.ts'
import { recordHidden } from '../rooms/memberships.ts'
import type { UserDeletionDoc } from './documents.ts'

export const userDeletionIndexes: IndexDescription[] = [
  { key: { roomKey: 1, user: 1, seq: 1 } },
  { key: { roomKey: 1, message: 1, seq: 1 } },
  { key: { user: 1, _id: 1 } },
]

/** The `message` of a deletion of everything up to a seq. */
const everything = ''

export function deletionKey(app: string, room: string, user: string, message: string): string {
  return key(app, room, user, message)
}

export function deletionOfAllKey(app: string, room: string, user: string): string {
  return key(app, room, user, everything)
}

/**
 * A message that a user may have deleted for themselves. Deleting all messages of a room does not affect its threads.
 */
interface ToHide {
  _id: string
  room: string
  seq: number
  threadOf?: string
}

export type FoundDeletion = Pick<UserDeletionDoc, '_id' | 'seq'>

/** IDs of the messages that the user deleted for themselves, individually or with everything up to them. */
export async function findUserDeletions(
  db: Db,
  app: string,
  user: string,
  messages: readonly ToHide[],
  session?: Session,
): Promise<Set<string>> {
  if (messages.length === 0) return new Set()
  const keys = new Set(
    messages.flatMap(({ room, _id }) => [deletionOfAllKey(app, room, user), deletionKey(app, room, user, _id)]),
  )
  const found = await db.userDeletions
    .find({ _id: { $in: [...keys] } }, { projection: { seq: 1 }, ...(session && { session }) })
    .toArray()
  return hiddenBy(found, app, user, messages)
}

export function hiddenBy(
  deletions: readonly FoundDeletion[],
  app: string,
  user: string,
  messages: readonly ToHide[],
): Set<string> {
  const seqOf = new Map(deletions.map(({ _id, seq }) => [_id, seq]))
  const hidden = messages.filter(
    ({ _id, room, seq, threadOf }) =>
      seqOf.has(deletionKey(app, room, user, _id)) ||
      (threadOf === undefined && seq <= (seqOf.get(deletionOfAllKey(app, room, user)) ?? 0)),
  )
  return new Set(idsOf(hidden))
}

/** The seq up to which the user deleted all messages of the room for themselves; 0 if never. */
export async function findDeletedUpTo(
  db: Db,
  app: string,
  room: string,
  user: string,
  session: Session,
): Promise<number> {
  const deletion = await db.userDeletions.findOne({ _id: key(app, room, user, everything) }, { session })
  return deletion?.seq ?? 0
}

/** By message ID, the users who deleted the message for themselves, individually or with everything up to it. */
export async function findUsersWhoDeleted(
  db: Db,
  roomKey: string,
  messages: readonly { _id: string; seq: number }[],
  session: Session,
): Promise<Map<string, string[]>> {
  const projection = { _id: 0, user: 1, message: 1, seq: 1 }
  const ids = idsOf(messages)
  const alone = await db.userDeletions.find({ roomKey, message: { $in: ids } }, { session, projection }).toArray()
  const fromSeq = Math.min(...messages.map(({ seq }) => seq))
  const withAll = await db.userDeletions
    .find({ roomKey, message: everything, seq: { $gte: fromSeq } }, { session, projection })
    .toArray()
  return new Map(
    messages.map(({ _id, seq }) => {
      const own = alone.filter(({ message }) => message === _id)
      return [_id, [...own, ...withAll.filter((all) => all.seq >= seq)].map(({ user }) => user)]
    }),
  )
}

/** The users' personal deletions in a room after a seq. `isOfAll`: covers everything up to `seq`. */
export async function findDeletionsOfUsers(
  db: Db,
  roomKey: string,
  users: readonly string[],
  afterSeq: number,
  session: Session,
): Promise<(Pick<UserDeletionDoc, 'user' | 'seq' | 'sender'> & { isOfAll: boolean })[]> {
  const found = await db.userDeletions
    .find({ roomKey, user: { $in: [...users] }, seq: { $gt: afterSeq } }, { session })
    .project<Pick<UserDeletionDoc, 'user' | 'message' | 'seq' | 'sender'>>({ user: 1, message: 1, seq: 1, sender: 1 })
    .toArray()
  return found.map(({ message, ...deletion }) => Object.assign(deletion, { isOfAll: message === everything }))
}

/** Records that a member deleted these messages of a room and its threads for themselves. */
export async function insertUserDeletions(
  db: Db,
  app: string,
  room: string,
  user: string,
  messages: readonly { _id: string; roomKey: string; seq: number; sender: string }[],
  session: Session,
): Promise<void> {
  if (messages.length === 0) return
  const deletions = messages.map(({ _id: message, roomKey, seq, sender }) => ({
    _id: key(app, room, user, message),
    roomKey,
    user,
    message,
    seq,
    sender,
    deletedAtMS: clock.now(),
  }))
  await db.userDeletions.insertMany(deletions, { session })
  const seqs = messages.filter(({ roomKey }) => roomKey === key(app, room)).map(({ seq }) => seq)
  if (seqs.length > 0) await recordHidden(db, key(app, room, user), Math.max(...seqs), session)
}

/** Records that the user deleted all messages of the room up to `seq` for themselves. */
export async function setDeletedUpTo(
  db: Db,
  app: string,
  room: string,
  user: string,
  seq: number,
  session: Session,
): Promise<void> {
  await db.userDeletions.updateOne(
    { _id: key(app, room, user, everything) },
    { $set: { roomKey: key(app, room), user, message: everything, seq, deletedAtMS: clock.now() } },
    { upsert: true, session },
  )
  await recordHidden(db, key(app, room, user), seq, session)
}

/** A page of the personal deletions of a user in all rooms, by `_id`. */
export async function findDeletionsOf(
  db: Db,
  { app, user }: AppUser,
  after: string,
  limit: number,
): Promise<(UserDeletionDoc & { room: string })[]> {
  const range = { ...keyRange(app), ...(after !== '' && { $gt: after }) }
  const found = await db.userDeletions.find({ user, _id: range }).sort({ _id: 1 }).limit(limit).toArray()
  return found.map((deletion) => Object.assign(deletion, { room: deletion._id.split('\0')[1] ?? '' }))
}

const erasedAtOnce = 1_000

/** Removes all personal deletions of a user, also in rooms that they have left. @returns whether it finished */
export async function removeUserDeletions(db: Db, app: string, user: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const found = await db.userDeletions
      .find({ user, _id: keyRange(app) }, { projection: { _id: 1 } })
      .limit(erasedAtOnce)
      .toArray()
    if (found.length === 0) return true
    await db.userDeletions.deleteMany({ _id: { $in: idsOf(found) } })
  }
  return false
}
