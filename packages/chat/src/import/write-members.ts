import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { findSeqs, type ImportedMembership, saveImportedMembers } from '@parley/db/import/imported-members'
import { key } from '@parley/db/keys'
import { importedMessageId } from './known-ids.ts'

type Membership = ImportOf<'membership'>

interface RoomOfFile {
  seq: number
  sentAtMS: readonly number[]
}

export async function writeMembers(
  db: Db,
  app: string,
  memberships: readonly Membership[],
  rooms: ReadonlyMap<string, RoomOfFile>,
): Promise<void> {
  const lastReadId = ({ room, lastRead }: Membership) =>
    lastRead === undefined ? undefined : importedMessageId(app, room, lastRead)
  const lastRead = memberships.flatMap((membership) => lastReadId(membership) ?? [])
  const seqs = await findSeqs(db, lastRead)
  const readSeqOf = (membership: Membership): number => {
    const id = lastReadId(membership)
    if (id !== undefined) return seqs.get(id) ?? 0
    const { room, lastReadAt, lastReadSeq } = membership
    if (lastReadSeq !== undefined) return Math.min(lastReadSeq, rooms.get(room)?.seq ?? 0)
    const { seq, sentAtMS } = rooms.get(room) ?? { seq: 0, sentAtMS: [] }
    return lastReadAt === undefined ? seq : countUpTo(sentAtMS, lastReadAt)
  }
  const imported = memberships.map((membership) => {
    const { room, deliveredSeq } = membership
    const delivered = deliveredSeq !== undefined && {
      deliveredSeq: Math.min(deliveredSeq, rooms.get(room)?.seq ?? 0),
    }
    return { ...toMembership(app, membership, readSeqOf(membership)), ...delivered }
  })
  await saveImportedMembers(db, imported)
}

/** Number of the sorted times that are not later than `atMS`. */
function countUpTo(timesMS: readonly number[], atMS: number): number {
  let [low, high] = [0, timesMS.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((timesMS[middle] ?? Infinity) <= atMS) low = middle + 1
    else high = middle
  }
  return low
}

function toMembership(
  app: string,
  { room, user, joinedAt = clock.now(), pref, notifications: notify }: Membership,
  readSeq: number,
): ImportedMembership {
  const { tagColors, ...others } = pref ?? {}
  const given = { ...others, ...(tagColors && { tagColors: JSON.stringify(tagColors) }) }
  return {
    _id: key(app, room, user),
    app,
    room,
    roomKey: key(app, room),
    user,
    userKey: key(app, user),
    // A time in the future would be after messages to come.
    joinedAtMS: Math.min(joinedAt, clock.now()),
    readSeq,
    ...(notify && { notify }),
    ...(pref && { pref: defined(given) }),
  }
}
