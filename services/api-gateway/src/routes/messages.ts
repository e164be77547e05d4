import type { Chat } from '@parley/chat/chat'
import { editMessage } from '@parley/chat/edit-message'
import { roomHistory } from '@parley/chat/room-history'
import { sendBatch } from '@parley/chat/send-batch'
import { sendMessage } from '@parley/chat/send-message'
import { ApiError } from '@parley/contracts/errors'
import * as operations from '@parley/contracts/operations/messages'
import type { Mount } from '../mount.ts'

export function mountMessages(mount: Mount, chat: Chat): void {
  mount(operations.listMessages, ({ caller, params, query }) => roomHistory(chat, caller, params.id, query))

  mount(operations.sendMessage, ({ caller, body, headers, request }) =>
    sendMessage(chat, { ...body, app: caller.app, idempotencyKey: headers['idempotency-key'], request }),
  )

  mount(operations.writeMessage, ({ caller, params, body, headers, request }) => {
    const { _id, message, messageType, sender, ...rest } = body
    const by = 'admin' in caller ? { app: caller.admin.app, user: required('sender', sender) } : caller.user
    if (by.user !== (sender ?? by.user)) throw new ApiError('INVALID_REQUEST', 'sender: must be the caller')
    if (_id !== undefined) {
      return editMessage(chat, by, { id: _id, room: params.id }, { message, messageType, mentions: rest.mentions })
    }
    return sendMessage(chat, {
      ...rest,
      app: by.app,
      room: params.id,
      sender: by.user,
      message: required('message', message),
      messageType: required('messageType', messageType),
      idempotencyKey: headers['idempotency-key'],
      request,
    })
  })

  mount(operations.sendBatch, ({ caller, body, request }) => sendBatch(chat, caller.app, body, request))
}

/** A field that only some uses of an operation need. */
function required<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw new ApiError('MISSING_PARAMETER', `${field} is required`)
  return value
}
