import { ApiError } from '@parley/contracts/errors'
import { insertAuditEntries } from '@parley/db/audit/audit-log'
import type { AuditDoc } from '@parley/db/audit/documents'
import type { Db, Session } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import { insertSystemMessages } from '@parley/db/messages/scheduled'
import { findRoomsByKeyOrPair, insertRooms } from '@parley/db/rooms/direct-rooms'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { insertMemberships } from '@parley/db/rooms/room-members'
import { inTransaction } from '@parley/db/transactions/transaction'
import { recordJoin } from '@parley/db/users/logins'
import { membersMade, type PendingEvents, roomChanged, socketsMoved } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'
import { type ChangeEntries, noEntries, type Outbox } from '../events/outbox.ts'

export interface RoomToCreate {
  room: RoomDoc
  members: readonly string[]
  /** Whether the caller has given the room its ID, so that it may already exist. */
  isNamed: boolean
  messages: readonly ScheduledDoc[]
  /** The audit entry, if a key creates the room. */
  audit?: AuditDoc | undefined
}

/** The current room, and the outbox entries of its creation; undefined if it existed before. */
export interface CreatedRoom {
  room: RoomDoc
  entries: ChangeEntries | undefined
  /** Whether this request created it, among concurrent ones for the same room. */
  isCreated: boolean
}

/** Creates rooms for concurrent requests in one transaction, or returns existing ones. One outcome each, in order. */
export async function createRooms(
  { db, outbox }: { db: Db; outbox: Outbox },
  wanted: readonly RoomToCreate[],
): Promise<(CreatedRoom | { refused: ApiError })[]> {
  const plan = planRooms(wanted, await findExisting(db, wanted))
  if (plan.fresh.length === 0) return plan.outcomes
  let isFirstRun = true
  return inTransaction(db, async (session) => {
    // A room created in the meantime fails the insert by its unique key, and the second run finds it.
    const { outcomes, fresh } = isFirstRun ? plan : planRooms(wanted, await findExisting(db, wanted, session))
    isFirstRun = false
    if (fresh.length === 0) return outcomes
    const entries = await write({ db, outbox }, fresh, session)
    return outcomes.map((outcome) =>
      'room' in outcome
        ? { room: outcome.room, entries: entries.get(outcome.room), isCreated: outcome.isCreated }
        : outcome,
    )
  })
}

async function findExisting(db: Db, wanted: readonly RoomToCreate[], session?: Session): Promise<RoomDoc[]> {
  const keys = wanted.filter(({ isNamed }) => isNamed).map(({ room }) => room._id)
  const pairs = wanted.flatMap(({ room: { pair } }) => pair ?? [])
  return findRoomsByKeyOrPair(db, { keys, pairs }, session)
}

function planRooms(wanted: readonly RoomToCreate[], existing: readonly RoomDoc[]) {
  const byKey = new Map(existing.map((room) => [room._id, room]))
  const byPair = new Map(existing.flatMap((room) => (room.pair === undefined ? [] : [[room.pair, room]])))
  const fresh: RoomToCreate[] = []
  const outcomes = wanted.map((one): CreatedRoom | { refused: ApiError } => {
    const { room, isNamed } = one
    const named = isNamed ? byKey.get(room._id) : undefined
    if (named && (named.deletedAt || named.roomType !== room.roomType || named.pair !== room.pair)) {
      const when = named.deletedAt ? 'existed' : 'exists'
      return { refused: new ApiError('ROOM_EXISTS', `_id: a room ${JSON.stringify(room.id)} ${when}`) }
    }
    const found = named ?? (room.pair === undefined ? undefined : byPair.get(room.pair))
    if (found) return { room: found, entries: undefined, isCreated: false }
    fresh.push(one)
    byKey.set(room._id, room)
    if (room.pair !== undefined) byPair.set(room.pair, room)
    return { room, entries: undefined, isCreated: true }
  })
  return { outcomes, fresh }
}

/** Writes rooms with all their documents; returns the outbox entries of each. */
async function write(
  { db, outbox }: { db: Db; outbox: Outbox },
  fresh: readonly RoomToCreate[],
  session: Session,
): Promise<Map<RoomDoc, ChangeEntries>> {
  const rooms = fresh.map(({ room }) => room)
  await insertRooms(db, rooms, session)
  const joining = fresh.map(({ room, members }) => ({ room, users: members }))
  await insertMemberships(db, joining, session)
  const direct = fresh.filter(({ room }) => room.pair !== undefined)
  // Inside the transaction, so that it excludes a concurrent block between the two; see lockUser.
  const paired = direct.flatMap(({ room, members }) => members.map((user) => key(room.app, user)))
  if (paired.length > 0 && !(await recordJoin(db, paired, session))) {
    throw new ApiError('CLIENT_NOT_FOUND', 'members: a user was erased meanwhile')
  }
  const changes = fresh.map(({ room, members }) => {
    const events: PendingEvents = []
    socketsMoved(events, room, 'joined', members)
    roomChanged(events, room)
    membersMade(events, room, members)
    return { orderingKey: roomOrderingKey(room.app, room.id), events }
  })
  const messages = fresh.flatMap(({ messages }) => messages)
  await insertSystemMessages(db, messages, session)
  const audits = fresh.flatMap(({ audit }) => audit ?? [])
  await insertAuditEntries(db, audits, session)
  // The ordering keys are new, so no entries can be waiting.
  const entries = await outbox.add(changes, session, [])
  return new Map(fresh.map(({ room }, i) => [room, entries[i] ?? noEntries]))
}
