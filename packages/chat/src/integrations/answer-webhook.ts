import { ApiError } from '@parley/contracts/errors'
import type { WebhookAnswer } from '@parley/contracts/resources/webhook'
import { setBotState } from '@parley/db/rooms/rooms'
import { findUser } from '@parley/db/users/users'
import { asIntegrator } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { commitChange, publishRoom } from '../events/change-and-notify.ts'
import { roomChanged } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'
import { sendMessage } from '../send/send-message.ts'

interface AnsweredCall {
  app: string
  room: string
  /** The webhook-id, which makes the send idempotent for a day. */
  id: string
  request?: string | undefined
}

/**
 * Applies the response of a room's webhook (docs/reference/push.md#room-webhooks): sets the room's bot state, and sends
 * a message as a bot of the room. Neither is passed to the webhook again.
 * @returns whether there was anything to apply
 * @throws ApiError INSUFFICIENT_PERMISSIONS if senderID is not a bot, and the errors of sendMessage
 */
export async function answerWebhook(chat: Chat, call: AnsweredCall, answer: WebhookAnswer): Promise<boolean> {
  const { app, room, id, request } = call
  if (answer.toBotState !== undefined) await moveBotState(chat, call, answer.toBotState)
  if (answer.data === undefined || answer.senderID === undefined) return answer.toBotState !== undefined
  const sender = await findUser(chat.db, app, answer.senderID)
  if (!sender?.isRobot) throw new ApiError('INSUFFICIENT_PERMISSIONS', 'senderID: not a robot')
  await sendMessage(chat, {
    ...{ app, room, sender: sender.id, ...answer.data },
    push: true,
    webhook: false,
    idempotencyKey: `answer:${id}`,
    request,
  })
  return true
}

async function moveBotState(chat: Chat, { app, room, request }: AnsweredCall, botState: string): Promise<void> {
  const { value, entries } = await commitChange(chat, roomOrderingKey(app, room), async (session, pending) => {
    const moved = await setBotState(chat.db, { app, id: room }, botState, session)
    if (moved) roomChanged(pending, moved, { webhook: false, request })
    return moved
  })
  if (value) await publishRoom(chat, asIntegrator(app), { value, entries })
}
