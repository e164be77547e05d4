import { publishEvent } from '@parley/bus/events/publish'
import { ApiError } from '@parley/contracts/errors'
import { newId } from '@parley/db/messages/messages'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import type { UserCaller } from '../access/caller.ts'
import { requireMember, requireNotFrozen } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { moderateText } from '../moderation/moderate.ts'
import type { EmitLock } from '../send/new-message.ts'

/**
 * Shows the text that the caller is typing to the other members (docs/reference/messages.md#typing-and-streaming). It
 * is never stored.
 * @param lock keeps the order of the client's notices
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN, MESSAGE_REFUSED; BusAway
 */
export async function notifyTyping(
  chat: Chat,
  caller: UserCaller,
  room: string,
  message: string,
  lock?: EmitLock,
): Promise<Record<string, never>> {
  const { app, user } = caller
  const { room: doc, membership } = await requireMember(chat, caller, room)
  if (isBlocked(membership)) throw new ApiError('USER_BLOCKED')
  requireNotFrozen(doc)
  const hook = message === '' ? undefined : await chat.moderation.hookOf(app)
  const allowed = hook
    ? await moderateText(chat, hook, message, {
        ...{ appID: app, clientID: user, roomID: room, event: 'TYPING' },
        data: { message, messageType: 'typing' },
      })
    : message
  const before = lock?.wait()
  if (before) await before
  const shown = await chat.censor.maskText(app, allowed)
  const json = JSON.stringify({ room, message: shown, sender: user })
  await publishEvent(chat.bus, { to: { app, room }, event: 'typing', json, id: newId(), exceptUser: user })
  return {}
}
