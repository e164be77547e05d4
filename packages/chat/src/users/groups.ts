import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type {
  Group,
  listGroups as listOperation,
  saveGroup as saveOperation,
} from '@parley/contracts/operations/users/groups'
import type { Db, Session } from '@parley/db/connect'
import { findErasures } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import type { UserDoc } from '@parley/db/users/documents'
import { deleteGroupDoc, findGroupPage, saveGroupDoc } from '@parley/db/users/groups'
import { lockUsers } from '@parley/db/users/lock-user'
import { findUsersAndGroups, onlyUsers } from '@parley/db/users/users'
import { membersInAudit } from '../audit/recorder.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyFeed } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { JsonText } from '../views/json-text.ts'
import { takenWhileErasing, unknownUser } from './user-errors.ts'

/**
 * Creates a user group, or replaces the one with this ID (docs/reference/users.md#user-groups).
 * @throws ApiError CLIENT_NOT_FOUND naming the unknown members, USER_EXISTS if the ID belongs to a user, or to one
 * being erased
 */
export async function saveGroup(chat: Chat, app: string, request: Input<typeof saveOperation>['body']): Promise<Group> {
  const { _id = newId(), nickname, avatarUrl } = request
  const members = [...new Set(request.members)]
  const fields = { nickname, avatarUrl, groupMembers: members }
  const group = { _id, nickname, avatarUrl, members }
  const of = { app, user: _id }
  await changeAndNotify(chat, userOrderingKey(of), async (session, pending) => {
    const erasure = (await findErasures(chat.db, [key(app, _id)], session)).get(key(app, _id))
    if (erasure !== undefined) throw takenWhileErasing('_id', _id, erasure)
    await takeMembers(chat.db, app, members, session)
    const { saved, before } = await saveGroupDoc(chat.db, app, _id, fields, session)
    if (!saved) throw new ApiError('USER_EXISTS', `_id: a user ${JSON.stringify(_id)} exists`)
    const subject = { kind: 'group', id: _id } as const
    chat.audit?.addDetails({ subject, ...(before && { before: groupInAudit(before) }), after: groupInAudit(fields) })
    notifyFeed(pending, of, 'group', group)
  })
  return group
}

function groupInAudit({ nickname, avatarUrl, groupMembers = [] }: Partial<UserDoc>): object {
  return { nickname, avatarUrl, ...membersInAudit(groupMembers) }
}

/** Locks the members: one erased meanwhile is either missing here, or removed from the group afterwards. */
async function takeMembers(db: Db, app: string, members: readonly string[], session: Session): Promise<void> {
  const memberKeys = members.map((id) => key(app, id))
  await lockUsers(db, memberKeys, session)
  const users = onlyUsers((await findUsersAndGroups(db, app, members, session)).values())
  const unknown = members.filter((id) => !users.has(id))
  if (unknown.length === 0) return
  throw unknownUser('members', ...unknown)
}

/** @throws ApiError CLIENT_NOT_FOUND */
export async function deleteGroup(chat: Chat, app: string, id: string): Promise<Record<string, never>> {
  const of = { app, user: id }
  return changeAndNotify(chat, userOrderingKey(of), async (session, pending) => {
    const deleted = await deleteGroupDoc(chat.db, app, id, session)
    if (!deleted) throw new ApiError('CLIENT_NOT_FOUND', `id: no group ${JSON.stringify(id)}`)
    chat.audit?.addDetails({ before: groupInAudit(deleted) })
    notifyFeed(pending, of, 'groupDeleted', { _id: id })
    return {}
  })
}

/** GET /admin/groups: the user groups of an app, by ID. */
export async function listGroups(
  chat: Chat,
  app: string,
  { skip, limit }: Input<typeof listOperation>['query'],
): Promise<JsonText> {
  const { totalCount, groups } = await findGroupPage(chat.db, app, skip, limit)
  async function* parts(): AsyncGenerator<string[]> {
    for await (const { id: _id, nickname, avatarUrl, groupMembers = [] } of groups) {
      const group: Group = { _id, nickname, avatarUrl, members: groupMembers }
      yield [JSON.stringify(group)]
    }
  }
  return JsonText.page(totalCount, parts())
}
