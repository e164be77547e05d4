import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { BatchTarget, sendBatch as operation } from '@parley/contracts/operations/messages'
import type { SentMessage } from '@parley/contracts/resources/message'
import type { Chat } from './chat.ts'
import { createRoom } from './create-room.ts'
import { contentOf } from './message-content.ts'
import { sendMessage } from './send-message.ts'

type Batch = Input<typeof operation>['body']

/** Recipients served at the same time. */
const atOnce = 50

/**
 * Sends one message to many recipients (decisions.md, "Messages"): in order, what became of each. A receiver gets
 * it in the direct room with the sender.
 * @param request ID of the request, for the log lines of the messages' ways.
 * @throws ApiError MESSAGE_TOO_LARGE, INVALID_REQUEST of the message itself
 */
export async function sendBatch(
  chat: Chat,
  app: string,
  batch: Batch,
  request: string,
): Promise<Result<typeof operation>> {
  contentOf(batch.message)
  const results: Result<typeof operation> = []
  for (let i = 0; i < batch.paras.length; i += atOnce) {
    const sends = batch.paras.slice(i, i + atOnce).map(async (target) => {
      try {
        return { result: await sendTo(chat, app, batch, target, request) }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return { error: { code: error.code, message: error.message } }
      }
    })
    results.push(...(await Promise.all(sends)))
  }
  return results
}

async function sendTo(
  chat: Chat,
  app: string,
  batch: Batch,
  target: BatchTarget,
  request: string,
): Promise<SentMessage> {
  const { sender, messageType, push } = batch
  if (sender === undefined) throw new ApiError('MISSING_PARAMETER', 'sender is required')
  const message = fillIn(batch.message, target.patterns)
  return sendMessage(chat, {
    app,
    room: await roomOf(chat, app, sender, target),
    sender,
    message,
    messageType,
    push,
    request,
  })
}

async function roomOf(chat: Chat, app: string, sender: string, target: BatchTarget): Promise<string> {
  if (target.room !== undefined) return target.room
  const members = [sender, target.receiver ?? '']
  return (await createRoom(chat, app, { roomType: 'direct', members }))._id
}

/** Every text in a JSON value with its patterns replaced. */
function fillIn(value: unknown, patterns: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return value.replace(/\$[^$]+\$/g, (pattern) => patterns[pattern] ?? pattern)
  if (Array.isArray(value)) return value.map((inner) => fillIn(inner, patterns))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillIn(inner, patterns)]))
}
