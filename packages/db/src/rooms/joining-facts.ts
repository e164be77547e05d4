import { clock } from '@parley/async/clock'
import type { Db } from '../db.ts'
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
 */
export async function findJoiningFacts(
  db: Db,
  { rooms, memberships, users, orderingKeys }: WantedJoiningFacts,
): Promise<JoiningFacts> {
  const union = (
    collection: { collectionName: string },
    name: keyof JoiningFacts,
    ids: readonly string[],
    fields?: object,
  ) =>
    ids.length === 0 ? [] : [{ $unionWith: { coll: collection.collectionName, pipeline: oneOf(name, ids, fields) } }]
  const stages = [
    ...oneOf('rooms' satisfies keyof JoiningFacts, rooms, withoutBuffer),
    ...union(db.memberships, 'memberships', memberships),
    ...union(db.users, 'users', users),
    ...union(db.bans, 'bans', memberships, { untilMS: 1 }),
    ...union(db.invitations, 'invitations', memberships, { _id: 1 }),
    {
      $unionWith: {
        coll: db.outbox.collectionName,
        pipeline: [...waitingIn(orderingKeys), { $project: { _id: 0, waiting: '$$ROOT' } }],
      },
    },
  ]
  const facts: JoiningFacts = { rooms: [], memberships: [], users: [], bans: [], invitations: [], waiting: [] }
  for (const one of await db.rooms.aggregate<Record<string, never>>(stages).toArray()) {
    for (const [name, document] of Object.entries(one)) facts[name as keyof JoiningFacts].push(document)
  }
  return { ...facts, bans: facts.bans.filter(({ untilMS = Number.POSITIVE_INFINITY }) => untilMS > clock.now()) }
}
