import { asUser, type Caller } from '@parley/chat/access/caller'
import type { Chat } from '@parley/chat/chat'
import { Accepted } from '@parley/chat/jobs/work-on-job'
import { editMessage } from '@parley/chat/messages/changing/edit-message'
import { roomHistory } from '@parley/chat/messages/reading/room-history'
import { scheduleMessage } from '@parley/chat/messages/sending/schedule-message'
import { answerBatch } from '@parley/chat/messages/sending/send-batch'
import { sendAndShow } from '@parley/chat/messages/sending/send-message'
import { ApiError } from '@parley/contracts/errors'
import * as operations from '@parley/contracts/operations/messages/messages'
import type { ScheduledMessage } from '@parley/contracts/resources/scheduled-message'
import type { Mount } from '../../mount.ts'

export function mountMessages(mount: Mount, chat: Chat): void {
  mount(operations.listMessages, ({ caller, params, query }) => roomHistory(chat, caller, params.id, query))

  mount(operations.sendMessage, ({ caller, body, headers, request }) => {
    const { sendAtMS, ...send } = body
    const idempotencyKey = headers['idempotency-key']
    if (sendAtMS !== undefined) return sendLater(chat, caller, { ...send, sendAtMS }, idempotencyKey)
    return sendAndShow(chat, { ...send, app: caller.app, idempotencyKey, request })
  })

  mount(operations.writeMessage, ({ caller, params, body, headers, request }) => {
    const { _id, message, messageType, sender, sendAtMS, ...rest } = body
    const by = caller.kind === 'user' ? caller : asUser(caller.app, required('sender', sender))
    if (by.user !== (sender ?? by.user)) throw new ApiError('INVALID_REQUEST', 'sender: must be the caller')
    if (_id !== undefined) {
      if (rest.replyTo !== undefined)
        throw new ApiError('INVALID_REQUEST', 'replyTo: a message keeps what it replies to')
      if (rest.expiresInS !== undefined)
        throw new ApiError('INVALID_REQUEST', 'expiresInS: a message keeps the time at which it expires')
      if (sendAtMS !== undefined)
        throw new ApiError('INVALID_REQUEST', 'sendAtMS: a message that was sent is changed at once')
      if (rest.attachments) throw new ApiError('INVALID_REQUEST', 'attachments: a message keeps its files')
      const edit = { message, messageType, mentions: rest.mentions, byClient: caller.kind === 'user' }
      return editMessage(chat, by, { id: _id, room: params.id }, edit)
    }
    const send = {
      ...rest,
      room: params.id,
      sender: by.user,
      message: required('message', message),
      messageType: required('messageType', messageType),
    }
    const idempotencyKey = headers['idempotency-key']
    if (sendAtMS !== undefined) return sendLater(chat, caller, { ...send, sendAtMS }, idempotencyKey)
    return sendAndShow(chat, { ...send, app: by.app, byClient: caller.kind === 'user', idempotencyKey, request })
  })

  mount(operations.sendBatch, ({ caller, body, headers, request }) =>
    answerBatch(chat, caller.app, body, { request, idempotencyKey: headers['idempotency-key'] }),
  )
}

async function sendLater(
  chat: Chat,
  caller: Caller,
  send: Parameters<typeof scheduleMessage>[2],
  idempotencyKey: string | undefined,
): Promise<Accepted<ScheduledMessage>> {
  return new Accepted(await scheduleMessage(chat, caller, send, idempotencyKey))
}

/** Requires a field that only some uses of an operation need. */
function required<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw new ApiError('MISSING_PARAMETER', `${field} is required`)
  return value
}
