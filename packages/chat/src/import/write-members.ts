import type { ImportOf } from '@parley/contracts/import-line'
import { maxMembersShown } from '@parley/contracts/resources/room'
import type { Db } from '@parley/db/connect'
import { findSeqAt, findSeqs, type ImportedMembership, saveImportedMembers } from '@parley/db/import/imported-members'
import { key } from '@parley/db/keys'
import { importedMessageId } from './known-ids.ts'

type Membership = ImportOf<'membership'>

/** @param counts how many messages of the file each room has */
export async function writeMembers(
  db: Db,
  app: string,
  memberships: readonly Membership[],
  counts: ReadonlyMap<string, { seq: number }>,
): Promise<void> {
  const lastReadId = ({ room, lastRead }: Membership) =>
    lastRead === undefined ? undefined : importedMessageId(app, room, lastRead)
  const seqs = await findSeqs(
    db,
    memberships.flatMap((membership) => lastReadId(membership) ?? []),
  )
  const readSeqOf = async (membership: Membership): Promise<number> => {
    const id = lastReadId(membership)
    if (id !== undefined) return seqs.get(id) ?? 0
    const { room, lastReadAt } = membership
    const all = counts.get(room)?.seq ?? 0
    return lastReadAt === undefined ? all : Math.min(all, await findSeqAt(db, key(app, room), lastReadAt))
  }
  const readSeqs = await Promise.all(memberships.map(readSeqOf))
  await saveImportedMembers(
    db,
    memberships.map((membership, i) => toMembership(app, membership, readSeqs[i] ?? 0)),
    maxMembersShown,
  )
}

function toMembership(
  app: string,
  { room, user, joinedAt = Date.now(), pref }: Membership,
  readSeq: number,
): ImportedMembership {
  const { tagColors, ...others } = pref ?? {}
  const given = Object.entries({ ...others, ...(tagColors && { tagColors: JSON.stringify(tagColors) }) })
  return {
    _id: key(app, room, user),
    app,
    room,
    roomKey: key(app, room),
    user,
    userKey: key(app, user),
    joinedAtMS: joinedAt,
    readSeq,
    ...(pref && { pref: Object.fromEntries(given.filter(([, value]) => value !== undefined)) }),
  }
}
