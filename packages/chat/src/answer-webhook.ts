import { publishEvent } from '@parley/bus/publish'
import { ApiError } from '@parley/contracts/errors'
import type { WebhookAnswer } from '@parley/contracts/resources/webhook'
import { setBotState } from '@parley/db/rooms'
import { findUser, findUsers } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { sendMessage } from './send-message.ts'
import { showRoom } from './show-room.ts'

/** The call whose answer it is. */
export interface AnsweredCall {
  app: string
  room: string
  /** webhook-id: the answer to the same call is carried out once, however often it comes. */
  id: string
  request?: string | undefined
}

/**
 * Carries out what a room's webhook answered (decisions.md, "Push and webhooks"): moves the room's bot state, and sends
 * a message as a robot of the room. Neither is told to the webhook again.
 * @throws ApiError INSUFFICIENT_PERMISSIONS when senderID is no robot, and what sendMessage refuses
 */
export async function answerWebhook(chat: Chat, call: AnsweredCall, answer: WebhookAnswer): Promise<void> {
  const { app, room, id, request } = call
  if (answer.toBotState !== undefined) await moveBotState(chat, call, answer.toBotState)
  if (answer.data === undefined || answer.senderID === undefined) return
  const sender = await findUser(chat.db, app, answer.senderID)
  if (!sender?.isRobot) throw new ApiError('INSUFFICIENT_PERMISSIONS', 'senderID: not a robot')
  await sendMessage(chat, {
    ...{ app, room, sender: sender.id, ...answer.data },
    push: true,
    webhook: false,
    idempotencyKey: `answer:${id}`,
    request,
  })
}

async function moveBotState(chat: Chat, { app, room, id, request }: AnsweredCall, botState: string): Promise<void> {
  const moved = await setBotState(chat.db, app, room, botState)
  if (!moved) return
  await publishEvent(chat.bus, {
    to: { app, room },
    event: 'room',
    json: JSON.stringify(showRoom(moved, await findUsers(chat.db, app, moved.firstMembers))),
    id: `${id}:room`,
    webhook: false,
    ...(request !== undefined && { request }),
  }).catch((error: unknown) => {
    chat.log.warn({ err: error, room, request }, 'room event not published')
  })
}
