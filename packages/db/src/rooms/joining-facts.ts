import { clock } from '@parley/async/clock'
import type { Db, Session } from '../db.ts'
import type { OutboxEntry } from '../events/documents.ts'
import { waitingIn } from '../events/outbox-store.ts'
import { withoutBuffer } from '../room-buffer/buffer.ts'
import { oneOf } from '../room-buffer/facts.ts'
import type { UserDoc } from '../users/documents.ts'
import type { BanDoc, InvitationDoc, MembershipDoc, RoomDoc } from './documents.ts'

export interface JoiningFacts {
  rooms: RoomDoc[]
  memberships: MembershipDoc[]
  users: UserDoc[]
  /** Active bans; `_id` is that of the membership. */
  bans: Pick<BanDoc, '_id' | 'untilMS'>[]
  invitations: Pick<InvitationDoc, '_id'>[]
  /** Outbox entries of the rooms' ordering keys, as from findByOrderingKey. */
  waiting: OutboxEntry[]
}

/** The IDs to read. Bans and invitations have the ID of the membership. */
interface WantedJoiningFacts {
  rooms: readonly string[]
  memberships: readonly string[]
  users: readonly string[]
  /** Ordering keys of the rooms' events. */
  orderingKeys: readonly string[]
}

/**
 * Reads the rooms, then the facts about new members, in one round trip. That is impossible in a transaction; instead,
 * every change of a fact changes its room, and addMembersToRooms checks that the room is unchanged.
 * @param session of a transaction that has locked the rooms, and then reads in several round trips
 */
export async function findJoiningFacts(
  db: Db,
  { rooms, memberships, users, orderingKeys }: WantedJoiningFacts,
  session?: Session,
): Promise<JoiningFacts> {
  const waiting = [...waitingIn(orderingKeys), { $project: { _id: 0, waiting: '$$ROOT' } }]
  const reads = [
    { coll: db.rooms.collectionName, pipeline: oneOf('rooms' satisfies keyof JoiningFacts, rooms, withoutBuffer) },
    { coll: db.memberships.collectionName, pipeline: oneOf('memberships' satisfies keyof JoiningFacts, memberships) },
    { coll: db.users.collectionName, pipeline: oneOf('users' satisfies keyof JoiningFacts, users) },
    { coll: db.bans.collectionName, pipeline: oneOf('bans' satisfies keyof JoiningFacts, memberships, { untilMS: 1 }) },
    {
      coll: db.invitations.collectionName,
      pipeline: oneOf('invitations' satisfies keyof JoiningFacts, memberships, { _id: 1 }),
    },
    { coll: db.outbox.collectionName, pipeline: waiting },
  ]
  const facts: JoiningFacts = { rooms: [], memberships: [], users: [], bans: [], invitations: [], waiting: [] }
  for (const one of await (session ? readInTurn(db, reads, session) : readTogether(db, reads))) {
    for (const [name, document] of Object.entries(one)) facts[name as keyof JoiningFacts].push(document)
  }
  return { ...facts, bans: facts.bans.filter(({ untilMS = Number.POSITIVE_INFINITY }) => untilMS > clock.now()) }
}

interface Read {
  coll: string
  pipeline: object[]
}
type Found = Record<string, never>

async function readTogether({ rooms }: Db, [first, ...others]: readonly Read[]): Promise<Found[]> {
  const unions = others.map((read) => ({ $unionWith: read }))
  return rooms.aggregate<Found>([...(first?.pipeline ?? []), ...unions]).toArray()
}

async function readInTurn({ mongo }: Db, reads: readonly Read[], session: Session): Promise<Found[]> {
  const found: Found[][] = []
  for (const { coll, pipeline } of reads) {
    found.push(await mongo.collection(coll).aggregate<Found>(pipeline, { session }).toArray())
  }
  return found.flat()
}
