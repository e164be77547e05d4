import { publishEvent } from '@parley/bus/publish'
import { ApiError } from '@parley/contracts/errors'
import { newMessageId } from '@parley/db/messages'
import { findUser } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { requireMember } from './require-member.ts'

/**
 * Sends a piece of what a robot is writing to the room (decisions.md, "The socket"). Never stored.
 * @throws ApiError CLIENT_NOT_FOUND, INSUFFICIENT_PERMISSIONS when the sender is no robot, ROOM_NOT_FOUND,
 *   NOT_ROOM_MEMBER, USER_BLOCKED; BusAway
 */
export async function streamText(
  chat: Chat,
  robot: { app: string; user: string },
  room: string,
  text: string,
): Promise<Record<string, never>> {
  const { app, user: sender } = robot
  const found = await findUser(chat.db, app, sender)
  if (!found) throw new ApiError('CLIENT_NOT_FOUND', `sender: no user ${JSON.stringify(sender)}`)
  if (!found.isRobot) throw new ApiError('INSUFFICIENT_PERMISSIONS', 'sender: only users with isRobot may stream')
  const { membership } = await requireMember(chat, robot, room)
  if (membership.blocked) throw new ApiError('USER_BLOCKED')
  const json = JSON.stringify({ room, sender, text })
  await publishEvent(chat.bus, { to: { app, room }, event: 'ai_streaming', json, id: newMessageId() })
  return {}
}
