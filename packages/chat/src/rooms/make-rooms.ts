import { ApiError } from '@parley/contracts/errors'
import { insertAuditEntries } from '@parley/db/audit/audit-log'
import type { AuditDoc } from '@parley/db/audit/documents'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import { insertSystemMessages } from '@parley/db/messages/scheduled'
import { findRoomsByKeyOrPair, insertRooms } from '@parley/db/rooms/direct-rooms'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { insertMembershipsOf } from '@parley/db/rooms/room-members'
import { inTransaction, type Session } from '@parley/db/transactions/transaction'
import { recordJoin } from '@parley/db/users/logins'
import { membersMade, type PendingEvents, roomChanged, socketsMoved } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'
import type { Noted, Outbox } from '../events/outbox.ts'

/** A room to create, with its members. */
export interface WantedRoom {
  room: RoomDoc
  members: readonly string[]
  /** The caller has given the room its ID, so it can exist already. */
  isNamed: boolean
  /** Recorded with it. */
  messages: readonly ScheduledDoc[]
  /** The entry of the audit log, if a key creates it. */
  audit?: AuditDoc | undefined
}

/** The current room, and the outbox notes of its creation; undefined if it existed before. */
export interface MadeRoom {
  room: RoomDoc
  noted: Noted | undefined
  /** Of several concurrent requests for the same room, one created it. */
  isMade: boolean
}

/**
 * Creates concurrently wanted rooms in one transaction, each with its memberships and the notes of its events. If a room with the ID,
 * or of the pair, exists, returns that one. One outcome per wanted room, in order; a refused one leaves no trace.
 */
export async function makeRooms(
  { db, outbox }: { db: Db; outbox: Outbox },
  wanted: readonly WantedRoom[],
): Promise<(MadeRoom | { refused: ApiError })[]> {
  const plan = planRooms(wanted, await findExisting(db, wanted))
  if (plan.fresh.length === 0) return plan.outcomes
  let isFirstRun = true
  return inTransaction(db, async (session) => {
    // A room created since fails the insert by its unique key, and the second run finds it.
    const { outcomes, fresh } = isFirstRun ? plan : planRooms(wanted, await findExisting(db, wanted, session))
    isFirstRun = false
    if (fresh.length === 0) return outcomes
    const noted = await write({ db, outbox }, fresh, session)
    return outcomes.map((outcome) =>
      'room' in outcome ? { room: outcome.room, noted: noted.get(outcome.room), isMade: outcome.isMade } : outcome,
    )
  })
}

/** The existing rooms that the wanted ones would duplicate. */
async function findExisting(db: Db, wanted: readonly WantedRoom[], session?: Session): Promise<RoomDoc[]> {
  const keys = wanted.filter(({ isNamed }) => isNamed).map(({ room }) => room._id)
  const pairs = wanted.flatMap(({ room: { pair } }) => pair ?? [])
  return findRoomsByKeyOrPair(db, { keys, pairs }, session)
}

/** Sorts the wanted rooms into new and existing ones. */
function planRooms(wanted: readonly WantedRoom[], existing: readonly RoomDoc[]) {
  const byKey = new Map(existing.map((room) => [room._id, room]))
  const byPair = new Map(existing.flatMap((room) => (room.pair === undefined ? [] : [[room.pair, room]])))
  const fresh: WantedRoom[] = []
  const outcomes = wanted.map((one): MadeRoom | { refused: ApiError } => {
    const { room, isNamed } = one
    const named = isNamed ? byKey.get(room._id) : undefined
    if (named && (named.deletedAt || named.roomType !== room.roomType || named.pair !== room.pair)) {
      const when = named.deletedAt ? 'existed' : 'exists'
      return { refused: new ApiError('ROOM_EXISTS', `_id: a room ${JSON.stringify(room.id)} ${when}`) }
    }
    const found = named ?? (room.pair === undefined ? undefined : byPair.get(room.pair))
    if (found) return { room: found, noted: undefined, isMade: false }
    fresh.push(one)
    byKey.set(room._id, room)
    if (room.pair !== undefined) byPair.set(room.pair, room)
    return { room, noted: undefined, isMade: true }
  })
  return { outcomes, fresh }
}

/** Writes rooms with all their documents; returns the notes of each. */
async function write(
  { db, outbox }: { db: Db; outbox: Outbox },
  fresh: readonly WantedRoom[],
  session: Session,
): Promise<Map<RoomDoc, Noted>> {
  await insertRooms(
    db,
    fresh.map(({ room }) => room),
    session,
  )
  const joining = fresh.map(({ room, members }) => ({ room, users: members }))
  await insertMembershipsOf(db, joining, session, true)
  const direct = fresh.filter(({ room }) => room.pair !== undefined)
  // Inside the transaction, so that it excludes a block between the two: see lockUser.
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
  await insertSystemMessages(
    db,
    fresh.flatMap(({ messages }) => messages),
    session,
  )
  await insertAuditEntries(
    db,
    fresh.flatMap(({ audit }) => audit ?? []),
    session,
  )
  // Nothing can wait in ordering keys that begin with these changes.
  const noted = await outbox.note(changes, session, [])
  return new Map(fresh.map(({ room }, i) => [room, noted[i] ?? { notes: [], before: [] }]))
}
