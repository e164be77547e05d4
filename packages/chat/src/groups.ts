import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type {
  Group,
  listGroups as listOperation,
  saveGroup as saveOperation,
} from '@parley/contracts/operations/groups'
import { newMessageId } from '@parley/db/messages'
import { inTransaction } from '@parley/db/transaction'
import { deleteGroupDoc, findGroupPage, findUsers, saveGroupDoc } from '@parley/db/users'
import type { Chat } from './chat.ts'

/** GET /admin/groups: the user groups of an app, by ID. */
export async function listGroups(
  chat: Chat,
  app: string,
  { skip, limit }: Input<typeof listOperation>['query'],
): Promise<Result<typeof listOperation>> {
  const { totalCount, groups } = await findGroupPage(chat.db, app, skip, limit)
  const data = groups.map(({ id: _id, nickname, avatarUrl, groupMembers = [] }) => ({
    _id,
    nickname,
    avatarUrl,
    members: groupMembers,
  }))
  return { totalCount, data }
}

/**
 * Creates a user group, or replaces the one with this ID (decisions.md, "Groups").
 * @throws ApiError CLIENT_NOT_FOUND naming the unknown members, USER_EXISTS when the ID is that of a user
 */
export async function saveGroup(chat: Chat, app: string, request: Input<typeof saveOperation>['body']): Promise<Group> {
  const { _id = newMessageId(), nickname, avatarUrl } = request
  const members = [...new Set(request.members)]
  const users = await findUsers(chat.db, app, members)
  const unknown = members.filter((id) => !users.has(id) || users.get(id)?.groupMembers)
  if (unknown.length > 0) {
    throw new ApiError('CLIENT_NOT_FOUND', `members: no user ${unknown.map((id) => JSON.stringify(id)).join(', ')}`)
  }
  const fields = { nickname, avatarUrl, groupMembers: members }
  const saved = await inTransaction(chat.db, (session) => saveGroupDoc(chat.db, app, _id, fields, session))
  if (!saved) throw new ApiError('USER_EXISTS', `_id: a user ${JSON.stringify(_id)} exists`)
  return { _id, nickname, avatarUrl, members }
}

/** @throws ApiError CLIENT_NOT_FOUND */
export async function deleteGroup(chat: Chat, app: string, id: string): Promise<Record<string, never>> {
  if (!(await deleteGroupDoc(chat.db, app, id))) {
    throw new ApiError('CLIENT_NOT_FOUND', `id: no group ${JSON.stringify(id)}`)
  }
  return {}
}
