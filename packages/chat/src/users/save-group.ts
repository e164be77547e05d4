import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { Group, saveGroup as saveOperation } from '@parley/contracts/operations/users/groups'
import { findErasures } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { deleteGroupDoc, saveGroupDoc } from '@parley/db/users/groups'
import { findUsers } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { userLane } from '../events/lanes.ts'
import { notifyFeed } from '../events/notify-feed.ts'
import { takenWhileErasing } from './taken-id.ts'

/**
 * Creates a user group, or replaces the one with this ID (docs/reference/users.md#user-groups).
 * @throws ApiError CLIENT_NOT_FOUND naming the unknown members, USER_EXISTS when the ID is that of a user, or of one who is still being erased
 */
export async function saveGroup(chat: Chat, app: string, request: Input<typeof saveOperation>['body']): Promise<Group> {
  const { _id = newId(), nickname, avatarUrl } = request
  const members = [...new Set(request.members)]
  const users = await findUsers(chat.db, app, members)
  const unknown = members.filter((id) => !users.has(id))
  if (unknown.length > 0) {
    throw new ApiError('CLIENT_NOT_FOUND', `members: no user ${unknown.map((id) => JSON.stringify(id)).join(', ')}`)
  }
  const fields = { nickname, avatarUrl, groupMembers: members }
  const group = { _id, nickname, avatarUrl, members }
  const of = { app, user: _id }
  await changeAndNotify(chat, userLane(of), async (session, pending) => {
    const erasure = (await findErasures(chat.db, [key(app, _id)], session)).get(key(app, _id))
    if (erasure !== undefined) throw takenWhileErasing('_id', _id, erasure)
    const saved = await saveGroupDoc(chat.db, app, _id, fields, session)
    if (!saved) throw new ApiError('USER_EXISTS', `_id: a user ${JSON.stringify(_id)} exists`)
    notifyFeed(pending, of, 'group', group)
  })
  return group
}

/** @throws ApiError CLIENT_NOT_FOUND */
export async function deleteGroup(chat: Chat, app: string, id: string): Promise<Record<string, never>> {
  const of = { app, user: id }
  return changeAndNotify(chat, userLane(of), async (session, pending) => {
    if (!(await deleteGroupDoc(chat.db, app, id, session))) {
      throw new ApiError('CLIENT_NOT_FOUND', `id: no group ${JSON.stringify(id)}`)
    }
    notifyFeed(pending, of, 'groupDeleted', { _id: id })
    return {}
  })
}
