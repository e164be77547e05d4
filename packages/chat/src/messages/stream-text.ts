import { publishEvent } from '@parley/bus/events/publish'
import { ApiError } from '@parley/contracts/errors'
import { newId } from '@parley/db/messages/messages'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import type { UserCaller } from '../access/caller.ts'
import { requireMember, requireNotFrozen } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import type { EmitLock } from '../send/new-message.ts'
import { requireRobot } from './require-message.ts'

/**
 * Sends a piece of a bot's message to the room (docs/reference/messages.md#typing-and-streaming). It is never stored.
 * @param lock keeps the order of the client's pieces
 * @throws ApiError CLIENT_NOT_FOUND, INSUFFICIENT_PERMISSIONS if the sender is not a bot, USER_BANNED, ROOM_NOT_FOUND,
 * NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN; BusAway
 */
export async function streamText(
  chat: Chat,
  robot: UserCaller,
  room: string,
  text: string,
  lock?: EmitLock,
): Promise<Record<string, never>> {
  const { app, user: sender } = robot
  await requireRobot(chat.db, app, sender)
  const { room: doc, membership } = await requireMember(chat, robot, room)
  if (isBlocked(membership)) throw new ApiError('USER_BLOCKED')
  requireNotFrozen(doc)
  const before = lock?.wait()
  if (before) await before
  const json = JSON.stringify({ room, sender, text: await chat.censor.maskText(app, text) })
  await publishEvent(chat.bus, { to: { app, room }, event: 'ai_streaming', json, id: newId() })
  return {}
}
