import { asUser, type Caller } from '@parley/chat/access/caller'
import type { Chat } from '@parley/chat/chat'
import { Accepted } from '@parley/chat/jobs/work-on-job'
import { deleteForAll } from '@parley/chat/messages/changing/delete-for-all'
import { deleteAllForMe, deleteForMe } from '@parley/chat/messages/changing/delete-for-me'
import { editMessage } from '@parley/chat/messages/changing/edit-message'
import { pinMessage, unpinMessage } from '@parley/chat/messages/changing/pin-message'
import { addReaction, removeReaction } from '@parley/chat/messages/changing/react'
import { endStream } from '@parley/chat/messages/end-stream'
import { getLinkCard } from '@parley/chat/messages/reading/first-link'
import { listPins } from '@parley/chat/messages/reading/list-pins'
import { listReaders } from '@parley/chat/messages/reading/list-readers'
import { roomHistory } from '@parley/chat/messages/reading/room-history'
import { traceMessage } from '@parley/chat/messages/reading/trace-message'
import { deleteSaved, listSaved, saveBookmark, setReminder } from '@parley/chat/messages/saved-messages'
import {
  cancelScheduled,
  changeScheduled,
  listScheduled,
  scheduleMessage,
} from '@parley/chat/messages/scheduled-messages'
import { answerBatch } from '@parley/chat/messages/send-batch'
import { appendStream, openStream } from '@parley/chat/messages/stream-message'
import { streamText } from '@parley/chat/messages/stream-text'
import { notifyTyping } from '@parley/chat/messages/typing'
import { searchMessages } from '@parley/chat/search/search-messages'
import { sendAndShow } from '@parley/chat/send/send-message'
import { listThread } from '@parley/chat/threads/list-thread'
import { listThreads } from '@parley/chat/threads/list-threads'
import { markThreadRead } from '@parley/chat/threads/mark-thread-read'
import { ApiError } from '@parley/contracts/errors'
import * as deletions from '@parley/contracts/operations/messages/deletions'
import * as linkCards from '@parley/contracts/operations/messages/link-cards'
import * as live from '@parley/contracts/operations/messages/live'
import * as messages from '@parley/contracts/operations/messages/messages'
import * as pins from '@parley/contracts/operations/messages/pins'
import * as reactions from '@parley/contracts/operations/messages/reactions'
import * as readers from '@parley/contracts/operations/messages/readers'
import * as saved from '@parley/contracts/operations/messages/saved-messages'
import * as scheduled from '@parley/contracts/operations/messages/scheduled'
import * as streams from '@parley/contracts/operations/messages/streams'
import * as threads from '@parley/contracts/operations/messages/threads'
import * as trace from '@parley/contracts/operations/messages/trace'
import * as search from '@parley/contracts/operations/search/search'
import type { ScheduledMessage } from '@parley/contracts/resources/scheduled-message'
import type { Mount } from '../mount.ts'

export function mountMessages(mount: Mount, chat: Chat): void {
  mountSending(mount, chat)
  mountReading(mount, chat)
  mountChanging(mount, chat)
  mountSaved(mount, chat)
  mountStreaming(mount, chat)
}

function mountSending(mount: Mount, chat: Chat): void {
  mount(messages.sendMessage, ({ caller, body, headers, request }) => {
    const { sendAtMS, ...send } = body
    const idempotencyKey = headers['idempotency-key']
    if (sendAtMS !== undefined) return sendLater(chat, caller, { ...send, sendAtMS }, idempotencyKey)
    return sendAndShow(chat, { ...send, app: caller.app, idempotencyKey, request })
  })

  mount(messages.writeMessage, ({ chat, caller, params, body, headers, request }) => {
    const { _id, message, messageType, sender, sendAtMS, ...rest } = body
    const isOwnName = caller.kind === 'integrator' || caller.user === (sender ?? caller.user)
    if (!isOwnName) throw new ApiError('INVALID_REQUEST', 'sender: must be the caller')
    if (_id !== undefined) {
      if (rest.replyTo !== undefined) throw new ApiError('INVALID_REQUEST', 'replyTo: cannot be changed')
      if (rest.expiresInS !== undefined) throw new ApiError('INVALID_REQUEST', 'expiresInS: cannot be changed')
      if (sendAtMS !== undefined)
        throw new ApiError('INVALID_REQUEST', 'sendAtMS: changes to a sent message cannot be scheduled')
      if (rest.attachments) throw new ApiError('INVALID_REQUEST', 'attachments: cannot be changed')
      const edit = { message, messageType, mentions: rest.mentions, byClient: caller.kind === 'user' }
      const editor = caller.kind === 'user' || sender === undefined ? caller : asUser(caller.app, sender)
      return editMessage(chat, editor, { id: _id, room: params.id }, edit)
    }
    const by = caller.kind === 'user' ? caller : asUser(caller.app, required('sender', sender))
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

  mount(messages.sendBatch, ({ caller, body, headers, request }) =>
    answerBatch(chat, caller.app, body, { request, idempotencyKey: headers['idempotency-key'] }),
  )

  mount(scheduled.scheduleMessage, ({ caller, body }) => scheduleMessage(chat, caller, body))
  mount(scheduled.listScheduled, ({ caller, query }) => listScheduled(chat, caller, query))
  mount(scheduled.changeScheduled, ({ chat, caller, params, body }) => changeScheduled(chat, caller, params.id, body))
  mount(scheduled.cancelScheduled, ({ chat, caller, params }) => cancelScheduled(chat, caller, params.id))
}

function mountSaved(mount: Mount, chat: Chat): void {
  mount(saved.setReminder, ({ caller, body }) => setReminder(chat, caller, body))
  mount(saved.listReminders, ({ caller, query }) => listSaved(chat, caller, 'reminders', query))
  mount(saved.deleteReminder, ({ caller, params }) => deleteSaved(chat, caller, 'reminders', params.id))
  mount(saved.saveBookmark, ({ caller, params }) => saveBookmark(chat, caller, params.id))
  mount(saved.listBookmarks, ({ caller, query }) => listSaved(chat, caller, 'bookmarks', query))
  mount(saved.deleteBookmark, ({ caller, params }) => deleteSaved(chat, caller, 'bookmarks', params.id))
}

function mountReading(mount: Mount, chat: Chat): void {
  mount(messages.listMessages, ({ caller, params, query }) => roomHistory(chat, caller, params.id, query))
  mount(pins.listPins, ({ caller, params, query }) => listPins(chat, caller, params.id, query))
  mount(threads.listThread, ({ caller, params, query }) => listThread(chat, caller, params.id, query))
  mount(threads.listThreads, ({ caller, query }) => listThreads(chat, caller, query))

  mount(threads.markThreadRead, ({ caller, params, body, device }) =>
    markThreadRead(chat, caller, params.id, body.message, device),
  )

  mount(readers.listReaders, ({ caller, params }) => listReaders(chat, caller, params.id))
  mount(linkCards.getLinkCard, ({ caller, params }) => getLinkCard(chat, caller, params.id))
  mount(trace.traceMessage, ({ caller, params }) => traceMessage(chat, caller, params.id))
  mount(search.search, ({ caller, body }) => searchMessages(chat, caller, body))
}

function mountChanging(mount: Mount, chat: Chat): void {
  mount(reactions.addReaction, ({ caller, params, body }) => addReaction(chat, caller, params.id, body.reaction))

  mount(reactions.removeReaction, ({ caller, params, query }) =>
    removeReaction(chat, caller, params.id, query.reaction),
  )

  mount(pins.pinMessage, ({ chat, caller, params }) => pinMessage(chat, caller, params.id))
  mount(pins.unpinMessage, ({ chat, caller, params }) => unpinMessage(chat, caller, params.id))
  mount(deletions.deleteForMe, ({ caller, body }) => deleteForMe(chat, caller, body.room, body.messages))
  mount(deletions.deleteAllForMe, ({ caller, body }) => deleteAllForMe(chat, caller, body.room))

  mount(deletions.deleteForAll, ({ chat, caller, params }) =>
    deleteForAll(chat, caller, params.roomID, params.messageID),
  )
}

function mountStreaming(mount: Mount, chat: Chat): void {
  mount(live.typing, ({ caller, params, body }) => notifyTyping(chat, caller, params.id, body.message))

  mount(live.streamText, ({ caller, params, body }) =>
    streamText(chat, asUser(caller.app, body.sender), params.id, body.text),
  )

  mount(streams.openStream, ({ caller, body, request }) => openStream(chat, caller, body, request))
  mount(streams.appendStream, ({ caller, params, body }) => appendStream(chat, caller, params.id, body))
  mount(streams.endStream, ({ caller, params, body }) => endStream(chat, caller, params.id, body.message))
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
