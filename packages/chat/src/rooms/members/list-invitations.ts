import type { Input, Result } from '@parley/contracts/operation'
import type { listInvitations as operation } from '@parley/contracts/operations/rooms/members'
import type { Invitation } from '@parley/contracts/resources/invitation'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { InvitationDoc } from '@parley/db/rooms/documents'
import { findInvitationsOf } from '@parley/db/rooms/invitations'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import type { UserCaller } from '../../access/caller.ts'
import type { Chat } from '../../chat.ts'
import { toInvitationView } from '../../views/invitation.ts'

/** A page of the caller's open invitations, the newest first (docs/reference/rooms.md#members). */
export async function listInvitations(
  { db }: Chat,
  caller: UserCaller,
  { limit, cursor }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const oneMore = await findInvitationsOf(db, caller, cursor, limit + 1)
  const found = oneMore.slice(0, limit)
  const last = oneMore.length > limit ? found.at(-1) : undefined
  return { data: await shownInvitations(db, found), ...(last && { cursor: last.id }) }
}

/** Invitations with the names of their rooms, without those to deleted rooms. */
export async function shownInvitations(db: Db, invitations: readonly InvitationDoc[]): Promise<Invitation[]> {
  if (invitations.length === 0) return []
  const keys = new Set(invitations.map(({ app, room }) => key(app, room)))
  const rooms = await findRoomsByKey(db, [...keys])
  const names = new Map(rooms.filter(({ deletedAt }) => !deletedAt).map(({ id, name }) => [id, name]))
  return invitations.flatMap((invitation) => {
    const name = names.get(invitation.room)
    return name === undefined ? [] : [toInvitationView(invitation, name)]
  })
}
