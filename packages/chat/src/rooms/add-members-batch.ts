import { ApiError } from '@parley/contracts/errors'
import { maxMembers } from '@parley/contracts/operations/rooms/members'
import { maxMembersShown } from '@parley/contracts/resources/room'
import { insertAuditEntries } from '@parley/db/audit/audit-log'
import type { AuditDoc } from '@parley/db/audit/documents'
import type { Db, Session } from '@parley/db/connect'
import { idsOf, key } from '@parley/db/keys'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import { insertSystemMessages } from '@parley/db/messages/scheduled'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { bumpRoomVersions, lockReadRoom } from '@parley/db/rooms/lock-room'
import { addMembersToRooms, type Joining } from '@parley/db/rooms/room-members'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { UserDoc } from '@parley/db/users/documents'
import { findUsersByKey } from '@parley/db/users/users'
import { type Caller, userOf } from '../access/caller.ts'
import { findActingRoles, isAtLeast, type Role } from '../access/room-role.ts'
import { membersChanged, type PendingEvents } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'
import { type ChangeEntries, noEntries, type Outbox } from '../events/outbox.ts'
import { systemMessage } from '../messages/system-message.ts'
import { unknownAmong } from './expand-members.ts'

/** A larger request runs on its own, so that a batch does not wait for it. */
export const maxBatched = 100

export interface MembersToAdd {
  by: Caller
  roomId: string
  invitees: readonly string[]
  /** Whether groups have been expanded already. */
  isExpanded?: true
  /** Whether a system message is recorded with it. */
  isAnnounced: boolean
  /** The audit entry, if a key adds them. */
  audit?: AuditDoc | undefined
}

/** The invitees contain groups, which must be expanded first. Nothing was done. */
interface HasGroups {
  hasGroups: true
}

export type AddOutcome = MembersAdded | HasGroups | { refused: ApiError }

/** The room after the change, the new members, and the outbox entries of the change. */
export interface MembersAdded {
  room: RoomDoc
  added: string[]
  entries: ChangeEntries
  messages: readonly ScheduledDoc[]
  /** Profiles of the shown members by `key(app, id)`, possibly with others. */
  profiles: ReadonlyMap<string, UserDoc>
}

/** Adds members for concurrent requests in one transaction. One outcome each, in order; refused ones leave no trace. */
export async function addMembersInBatch(
  { db, outbox }: { db: Db; outbox: Outbox },
  wanted: readonly MembersToAdd[],
): Promise<AddOutcome[]> {
  const orderingKeys = [...new Set(wanted.map(({ by, roomId }) => roomOrderingKey(by.app, roomId)))]
  const roomKeys = [...new Set(wanted.map(({ by, roomId }) => key(by.app, roomId)))]
  const isLarge = wanted.some(({ invitees }) => invitees.length > maxBatched)
  let runs = 0
  return db.locks.run(orderingKeys, () =>
    inTransaction(db, async (session) => {
      // From the second run on, the rooms are locked first: other changes of them could make every run start again.
      const isLocked = runs++ > 0
      if (isLocked) await bumpRoomVersions(db, roomKeys, session)
      const { outcomes, joining, events, facts } = await plan(db, wanted, orderingKeys, isLocked ? session : undefined)
      // Messages are sent while the facts about many users are read.
      if (isLarge && !isLocked) for (const one of joining) one.room = await lockReadRoom(db, one.room, session)
      const shown = joining.flatMap(({ room, users }) =>
        [...room.firstMembers, ...users].slice(0, maxMembersShown).map((user) => key(room.app, user)),
      )
      // Profiles are read outside the transaction, while it writes.
      const [rooms, profiles] = await Promise.all([
        addMembersToRooms(db, joining, session, facts),
        findUsersByKey(db, shown),
      ])
      const after = new Map(rooms.map((room) => [room._id, room]))
      const changes = [...events].map(([orderingKey, ofRoom]) => ({ orderingKey, events: ofRoom }))
      const systemMessages = outcomes.flatMap((one) => ('added' in one ? one.messages : []))
      await insertSystemMessages(db, systemMessages, session)
      await insertAuditEntries(
        db,
        outcomes.flatMap((one, i) => ('added' in one && one.added.length > 0 ? (wanted[i]?.audit ?? []) : [])),
        session,
      )
      const entries = await outbox.add(changes, session, facts.waiting)
      const byKey = new Map(changes.map(({ orderingKey }, i) => [orderingKey, entries[i]]))
      return outcomes.map((outcome) => {
        if (!('added' in outcome)) return outcome
        const { room, added, messages } = outcome
        const ofRoom = added.length === 0 ? undefined : byKey.get(roomOrderingKey(room.app, room.id))
        return { room: after.get(room._id) ?? room, added, entries: ofRoom ?? noEntries, messages, profiles }
      })
    }),
  )
}

type Planned = Pick<MembersAdded, 'room' | 'added' | 'messages'> | HasGroups | { refused: ApiError }

async function plan(db: Db, wanted: readonly MembersToAdd[], orderingKeys: readonly string[], session?: Session) {
  const { roles, facts } = await findActingRoles(db, wanted, orderingKeys, session)
  const members = new Set(idsOf(facts.memberships))
  const users = new Map(facts.users.map((user) => [user._id, user]))
  const joining = new Map<string, Joining & { room: RoomDoc; users: string[] }>()
  const events = new Map<string, PendingEvents>()
  const outcomes = wanted.map(({ by, roomId, invitees, isExpanded, isAnnounced }, i): Planned => {
    const profileOf = (id: string) => users.get(key(by.app, id))
    const unknown = isExpanded ? undefined : unknownAmong(invitees, (id) => profileOf(id) !== undefined, 'invitees')
    if (unknown) return { refused: unknown }
    if (!isExpanded && invitees.some((id) => profileOf(id)?.groupMembers)) return { hasGroups: true }
    const found = roles[i]
    if (!found || found instanceof ApiError) return { refused: found ?? new ApiError('INTERNAL_ERROR') }
    const { room, role } = found
    const added = invitees.filter((user) => !members.has(key(by.app, roomId, user)))
    const joined = joining.get(room._id) ?? { room, users: [] }
    const refused = refusalOf(room, role, joined.users.length + added.length)
    if (refused) return { refused }
    if (added.length === 0) return { room, added, messages: [] }
    for (const user of added) members.add(key(by.app, roomId, user))
    joined.users.push(...added)
    joining.set(room._id, joined)
    const orderingKey = roomOrderingKey(room.app, room.id)
    const ofRoom = events.get(orderingKey) ?? []
    const user = userOf(by)
    membersChanged(ofRoom, room, { event: 'ADD_MEMBERS', sender: user, members: added })
    events.set(orderingKey, ofRoom)
    const sender = user !== undefined && members.has(key(by.app, roomId, user)) ? user : added[0]
    const change = {
      messageType: 'addMembers',
      sender: sender ?? '',
      isForOther: sender !== user,
      members: added,
    } as const
    return { room, added, messages: isAnnounced ? [systemMessage(room, change)] : [] }
  })
  return { outcomes, joining: [...joining.values()], events, facts }
}

function refusalOf(room: RoomDoc, role: Role, more: number): ApiError | undefined {
  try {
    requireInviter(room, role)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  if (room.memberCount + more <= maxMembers) return undefined
  return new ApiError('INVALID_REQUEST', `invitees: a group has at most ${maxMembers} members`)
}

/**
 * Refuses invitations to a closed room by plain members, unless it has neither owner nor managers.
 * @throws ApiError INVALID_REQUEST, ROOM_CLOSED
 */
export function requireInviter(room: RoomDoc, role: Role): void {
  if (room.roomType === 'direct') {
    throw new ApiError('INVALID_REQUEST', 'id: a direct room has exactly two members')
  }
  const isRuled = room.owner !== undefined || room.managers.length > 0
  if (room.opening === 0 && isRuled && !isAtLeast(role, 'manager')) throw new ApiError('ROOM_CLOSED')
}
