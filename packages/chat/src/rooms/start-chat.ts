import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { startChat as operation } from '@parley/contracts/operations/users/directory'
import type { Room } from '@parley/contracts/resources/room'
import { newId } from '@parley/db/messages/messages'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { moderateText } from '../moderation/moderate.ts'
import { findStartable } from '../users/findable-users.ts'
import { unknownUser } from '../users/user-errors.ts'
import { createRoom } from './create-room.ts'

/**
 * POST /me/rooms: opens the direct room of the caller and another user, or creates a group owned by the caller
 * (docs/reference/rooms.md#start-a-chat).
 * @throws ApiError CLIENT_NOT_FOUND naming users that do not exist or may not be found, DIRECTORY_OFF, INVALID_REQUEST,
 * MESSAGE_REFUSED, SERVICE_UNAVAILABLE
 */
export async function startChat(
  chat: Chat,
  caller: UserCaller,
  { members, name = '' }: Input<typeof operation>['body'],
): Promise<Room> {
  const { app, user } = caller
  const others = [...new Set(members)].filter((member) => member !== user)
  if (others.length === 0) throw new ApiError('INVALID_REQUEST', 'members: expected someone besides the caller')
  const startable = await chat.limits.searches(caller, () => findStartable(chat, caller, others))
  const unknown = others.filter((member) => !startable.has(member))
  if (unknown.length > 0) throw unknownUser('members', ...unknown)
  const room = await createRoom(chat, app, await requestFor(chat, caller, others, name))
  return { ...room, webhook: '', botState: '' }
}

async function requestFor(chat: Chat, { app, user }: UserCaller, others: readonly string[], name: string) {
  const members = [user, ...others]
  if (others.length === 1) return { roomType: 'direct' as const, members }
  const _id = newId()
  const hook = name === '' ? undefined : await chat.moderation.hookOf(app)
  const question = { appID: app, clientID: user, roomID: _id, event: 'ROOM' as const }
  const data = { message: name, messageType: 'name' }
  const checked = hook ? await moderateText(chat, hook, name, { ...question, data }) : name
  return { _id, roomType: 'group' as const, members, name: checked, owner: user, systemMessage: true }
}
