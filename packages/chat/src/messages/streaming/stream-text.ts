import { publishEvent } from '@parley/bus/events/publish'
import { ApiError } from '@parley/contracts/errors'
import { newId } from '@parley/db/messages/messages'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import { findUser } from '@parley/db/users/users'
import type { UserCaller } from '../../access/caller.ts'
import { requireMember } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'

/**
 * Sends a piece of a robot's message to the room (docs/reference/messages.md#typing-and-streaming). Never stored.
 * @throws ApiError CLIENT_NOT_FOUND, INSUFFICIENT_PERMISSIONS when the sender is not a robot, ROOM_NOT_FOUND,
 *   NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN; BusAway
 */
export async function streamText(
  chat: Chat,
  robot: UserCaller,
  room: string,
  text: string,
): Promise<Record<string, never>> {
  const { app, user: sender } = robot
  const found = await findUser(chat.db, app, sender)
  if (!found) throw new ApiError('CLIENT_NOT_FOUND', `sender: no user ${JSON.stringify(sender)}`)
  if (!found.isRobot) throw new ApiError('INSUFFICIENT_PERMISSIONS', 'sender: only users with isRobot may stream')
  const { room: doc, membership } = await requireMember(chat, robot, room)
  if (isBlocked(membership)) throw new ApiError('USER_BLOCKED')
  if (doc.status === 0) throw new ApiError('ROOM_FROZEN')
  const json = JSON.stringify({ room, sender, text })
  await publishEvent(chat.bus, { to: { app, room }, event: 'ai_streaming', json, id: newId() })
  return {}
}
