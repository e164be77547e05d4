import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type {
  listBookmarks as listOperation,
  setReminder as setReminderOperation,
} from '@parley/contracts/operations/messages/saved-messages'
import type { SavedMessage } from '@parley/contracts/resources/saved-message'
import { idsOf, key } from '@parley/db/keys'
import type { SavedMessageDoc } from '@parley/db/messages/documents'
import {
  countSaved,
  findSaved,
  findSavedPage,
  putSaved,
  removeSaved,
  type SavedIn,
} from '@parley/db/messages/saved-messages'
import { flushRooms } from '@parley/db/room-buffer/flush'
import { inTransaction } from '@parley/db/transactions/transaction'
import { lockUser } from '@parley/db/users/lock-user'
import { findSenders } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { announceDue } from '../jobs/run-workers.ts'
import { anyMessageID, pageOf, parseCursor, toCursor } from '../page-cursor.ts'
import { requireWithinYear } from '../read-time.ts'
import { JsonText, withField } from '../views/json-text.ts'
import { messageJson } from '../views/message.ts'
import { findReadable } from './readable-messages.ts'
import { findQuoted } from './reading/quoted-messages.ts'
import { requireRoomOfMessage, unknownMessage } from './require-message.ts'

/** Per user. */
export const maxSaved: Record<SavedIn, number> = { reminders: 1_000, bookmarks: 10_000 }

/**
 * Sets a reminder of a message for the caller (docs/reference/messages.md#reminders-and-bookmarks). remind.ts sends it.
 * @throws ApiError INVALID_REQUEST, MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER, TOO_MANY_SAVED
 */
export async function setReminder(
  chat: Chat,
  caller: UserCaller,
  { message, remindAtMS }: Input<typeof setReminderOperation>['body'],
): Promise<SavedMessage> {
  requireWithinYear('remindAtMS', remindAtMS)
  const saved = await save(chat, caller, 'reminders', message, { atMS: remindAtMS, nextMS: remindAtMS })
  announceDue(chat, 'reminders', remindAtMS)
  return toReminder(saved)
}

/** Bookmarks a message. @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER, TOO_MANY_SAVED */
export async function saveBookmark(chat: Chat, caller: UserCaller, message: string): Promise<SavedMessage> {
  return toBookmark(await save(chat, caller, 'bookmarks', message))
}

/** An existing bookmark keeps its position; an existing reminder is moved. */
async function save(
  chat: Chat,
  caller: UserCaller,
  list: SavedIn,
  message: string,
  when?: Pick<SavedMessageDoc, 'atMS' | 'nextMS'>,
): Promise<SavedMessageDoc> {
  const { db } = chat
  const { app, user } = caller
  const room = await requireRoomOfMessage(db, app, message)
  await requireMember(chat, caller, room)
  // Lists read flushed messages.
  await flushRooms(db, [key(app, room)])
  const [found] = await findReadable(db, { app, user }, [{ message, room }])
  if (!found) throw unknownMessage(message)
  const createdAtMS = clock.now()
  const saved: SavedMessageDoc = {
    ...{ _id: key(app, user, message), app, user, userKey: key(app, user), message, room },
    ...(found.threadOf !== undefined && { threadOf: found.threadOf }),
    ...(when ?? { atMS: createdAtMS }),
    createdAtMS,
  }
  return inTransaction(
    db,
    async (session) => {
      // An erasure finds what was saved before it.
      if (!(await lockUser(db, app, user, session))) throw new ApiError('CLIENT_NOT_FOUND', 'the caller was erased')
      const earlier = await findSaved(db, list, caller, message, session)
      if (earlier && list === 'bookmarks') return earlier
      if (!earlier && (await countSaved(db, list, caller, maxSaved[list], session)) >= maxSaved[list]) {
        throw new ApiError('TOO_MANY_SAVED', `a user may have at most ${maxSaved[list]} ${list}`)
      }
      await putSaved(db, list, saved, session)
      return saved
    },
    { lock: `saved ${saved.userKey}` },
  )
}

/** A page of the caller's reminders or bookmarks. Unreadable messages' are removed. @throws ApiError INVALID_QUERY */
export async function listSaved(
  { db }: Chat,
  { app, user }: UserCaller,
  list: SavedIn,
  { limit, cursor }: Input<typeof listOperation>['query'],
): Promise<JsonText> {
  const after = parseCursor(list, cursor, anyMessageID)
  const { shown, last } = pageOf(await findSavedPage(db, list, { app, user }, { after, limit: limit + 1 }), limit)
  const readable = await findReadable(db, { app, user }, shown)
  const [users, quoted] = await Promise.all([findSenders(db, app, readable), findQuoted(db, readable)])
  const byID = new Map(readable.map((message) => [message._id, message]))
  const entries = shown.flatMap((saved) => {
    const message = byID.get(saved.message)
    const view = list === 'reminders' ? toReminder(saved) : toBookmark(saved)
    return message ? [withField(view, 'message', messageJson(message, users.get(message.sender), quoted))] : []
  })
  const gone = shown.filter(({ message }) => !byID.has(message))
  await removeSaved(db, list, idsOf(gone))
  const next = last ? { cursor: toCursor(list, { atMS: last.atMS, id: last.message }) } : {}
  return new JsonText([withField(next, 'data', `[${entries.join(',')}]`)])
}

export async function deleteSaved(
  { db }: Chat,
  { app, user }: UserCaller,
  list: SavedIn,
  message: string,
): Promise<{ removed: number }> {
  return { removed: await removeSaved(db, list, [key(app, user, message)]) }
}

/** A reminder as in the contract, without its message. */
export function toReminder(saved: SavedMessageDoc): SavedMessage & { remindAtMS: number } {
  return { ...toBookmark(saved), remindAtMS: saved.atMS }
}

function toBookmark({ message, room, threadOf, createdAtMS }: SavedMessageDoc): SavedMessage {
  return { messageID: message, room, ...(threadOf !== undefined && { threadOf }), createdAtMS }
}
