import { clock } from '@parley/async/clock'
import type { ClientsPush } from '@parley/contracts/bus/push-work'
import { ApiError } from '@parley/contracts/errors'
import type { SentMessage } from '@parley/contracts/resources/message'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { stopStreaming } from '@parley/db/messages/change-messages'
import { deleteStream, endParts, findSilentStreams, textOfParts } from '@parley/db/messages/message-streams'
import { setSearchWords } from '@parley/db/messages/search-texts'
import { findRoom } from '@parley/db/rooms/rooms'
import { inTransaction } from '@parley/db/transactions/transaction'
import { banInForce } from '@parley/db/users/app-bans'
import { findUser } from '@parley/db/users/users'
import { asUser, type Caller } from '../access/caller.ts'
import { checkRoom, requireNotFrozen } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import type { Worker } from '../jobs/run-workers.ts'
import { termsOfContent } from '../search/search-words.ts'
import { bannedFromApp } from '../users/user-errors.ts'
import { toSentMessageView } from '../views/message.ts'
import { changeMessage } from './changing/change-message.ts'
import { contentOf } from './draft.ts'
import { findOwnStream, notStreamed, type OwnStream } from './stream-message.ts'

const atOnce = 100

/**
 * Ends a streamed message: `messageUpdated` carries the whole text or the given content, and the message is pushed. A
 * repeat after a lost response returns the message.
 * @throws ApiError MESSAGE_NOT_FOUND, INSUFFICIENT_PERMISSIONS, MESSAGE_TOO_LARGE, ROOM_NOT_FOUND, NOT_ROOM_MEMBER,
 * USER_BLOCKED, USER_BANNED; ROOM_FROZEN with given content
 */
export async function endStream(chat: Chat, caller: Caller, id: string, message?: unknown): Promise<SentMessage> {
  const stream = await findOwnStream(chat, caller, id)
  const content = message === undefined ? undefined : contentOf(message)
  if (!stream) return findEnded(chat, caller, id, content)
  // Checked before the stream ends, so that a refusal leaves it open.
  if (content !== undefined) {
    requireNotFrozen(checkRoom(await findRoom(chat.db, stream.app, stream.room), stream.room))
  }
  return close(chat, stream, content)
}

/** Ends silent streams, such as those of a dead bot or gateway. Any number of processes may run this. */
export function closeSilentStreams(chat: Chat): Worker {
  return {
    kinds: ['silentStreams'],
    onError: (error) => chat.log.warn({ err: error }, 'silent streams not ended; trying again'),
    work: async () => {
      const failures: unknown[] = []
      for (const stream of await findSilentStreams(chat.db, clock.now(), atOnce)) {
        try {
          await close(chat, stream)
        } catch (error) {
          // A failure must not keep other streams open. It is retried.
          await leaveAsIs(chat, stream, error).catch((failure: unknown) => failures.push(failure))
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'some streams were not ended')
    },
  }
}

/** Keeps the text as it is if the bot has left the room or is banned. @throws any other error */
async function leaveAsIs(chat: Chat, stream: OwnStream, error: unknown): Promise<void> {
  if (!(error instanceof ApiError)) throw error
  await inTransaction(chat.db, async (session) => {
    const left = await stopStreaming(chat.db, stream.message, session)
    if (left) await setSearchWords(chat.db, [left], termsOfContent(left.content), session)
  })
  await deleteStream(chat.db, stream)
}

/** The current message of an ended stream; with given content, only if it is the same. @throws ApiError as endStream */
async function findEnded(chat: Chat, caller: Caller, id: string, given?: string): Promise<SentMessage> {
  const { app } = caller
  const [found] = await findMessages(chat.db, [id], { app })
  const isOwn = found && (caller.kind === 'integrator' || caller.user === found.sender)
  if (!isOwn || found.streaming) throw notStreamed(id)
  const { sender, room } = found
  if (!(await findUser(chat.db, app, sender))?.isRobot) throw notStreamed(id)
  const masked = given === undefined ? undefined : await chat.censor.maskContent(app, given)
  const { message, quoted } = await changeMessage(chat, asUser(app, sender), { id, room }, () => undefined)
  if (masked !== undefined && message.content !== masked) throw notStreamed(id)
  return toSentMessageView(message, quoted)
}

/** Closes a stream. Several processes may do so, but the message changes only once. */
async function close(chat: Chat, stream: OwnStream, given?: string): Promise<SentMessage> {
  const { app, room, sender, push, message: id } = stream
  const robot = await findUser(chat.db, app, sender)
  if (robot && banInForce(robot)) throw bannedFromApp(sender)
  // These include every acknowledged piece.
  const parts = await endParts(chat.db, stream)
  const content = given ?? JSON.stringify(textOfParts(parts))
  const without = push ? (['streaming', 'streamed', 'push'] as const) : (['streaming', 'streamed'] as const)
  const toPush: ClientsPush = { id: `${id}:streamed`, clients: [], payload: {}, message: { room, id } }
  const { message, quoted } = await changeMessage(
    chat,
    asUser(app, sender),
    { id, room },
    async ({ streaming }, doc) => {
      if (given !== undefined) requireNotFrozen(doc)
      if (!streaming) return undefined
      // Masked under the lock, so that words added meanwhile are masked too.
      return { set: { content: await chat.censor.maskContent(app, content) }, without }
    },
    push ? [{ kind: 'push', id: toPush.id, app, json: JSON.stringify(toPush) }] : [],
  )
  await deleteStream(chat.db, stream)
  return toSentMessageView(message, quoted)
}
