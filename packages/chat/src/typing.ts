import { publishEvent } from '@parley/bus/publish'
import { ApiError } from '@parley/contracts/errors'
import { newMessageId } from '@parley/db/messages'
import type { Chat } from './chat.ts'
import { requireMember } from './require-member.ts'

/**
 * Tells the other members what the caller is typing (decisions.md, "The socket"). Never stored.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED; BusAway
 */
export async function tellTyping(
  chat: Chat,
  caller: { app: string; user: string },
  room: string,
  message: string,
): Promise<Record<string, never>> {
  const { app, user } = caller
  const { membership } = await requireMember(chat, caller, room)
  if (membership.blocked) throw new ApiError('USER_BLOCKED')
  const json = JSON.stringify({ room, message, sender: user })
  await publishEvent(chat.bus, { to: { app, room }, event: 'typing', json, id: newMessageId(), exceptUser: user })
  return {}
}
