import type { Input } from '@parley/contracts/operation'
import type { listPins as operation } from '@parley/contracts/operations/messages/pins'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import { findPins } from '@parley/db/messages/messages'
import { findUserDeletions } from '@parley/db/messages/user-deletions'
import { findSenders } from '@parley/db/users/users'
import { type Caller, userOf } from '../../access/caller.ts'
import { requireReader } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import { pageOf } from '../../page-cursor.ts'
import { JsonText, withField } from '../../views/json-text.ts'
import { messageJson } from '../../views/message.ts'
import { findQuoted } from './quoted-messages.ts'

/**
 * A page of the room's pinned messages, newest first, for members and the integrator. The cost does not grow with the room.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function listPins(
  chat: Chat,
  caller: Caller,
  roomId: string,
  { limit, beforeSeq = Number.MAX_SAFE_INTEGER }: Input<typeof operation>['query'],
): Promise<JsonText> {
  const { db } = chat
  const { app } = caller
  const room = await requireReader(chat, caller, roomId)
  const oneMore = await findPins(db, room._id, { afterSeq: room.deletedUpToSeq ?? 0, beforeSeq }, limit + 1)
  const { shown: found, last } = pageOf(oneMore, limit)
  const [users, hidden, quoted] = await Promise.all([
    findSenders(db, app, found),
    findUserDeletions(db, app, userOf(caller) ?? '', found),
    findQuoted(db, found, new Map([[room._id, room]])),
  ])
  const shown = found
    .map((message) => currentMessage(message, room))
    .filter(({ _id, isDeleted }) => !isDeleted && !hidden.has(_id))
    .map((message) => messageJson(message, users.get(message.sender), quoted))
  return new JsonText([withField(last ? { beforeSeq: last.seq } : {}, 'data', `[${shown.join(',')}]`)])
}
