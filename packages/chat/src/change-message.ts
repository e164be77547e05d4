import { ApiError } from '@parley/contracts/errors'
import {
  findMessageOfApp,
  isDeletedIn,
  type MessageChange,
  type MessageDoc,
  changeMessage as writeChange,
} from '@parley/db/messages'
import { messageEventId } from '@parley/db/outbox'
import { type RoomDoc, takeRoomTime } from '@parley/db/rooms'
import { setSearchWords } from '@parley/db/search-texts'
import { inTransaction } from '@parley/db/transaction'
import { findUser, type UserDoc } from '@parley/db/users'
import type { Chat } from './chat.ts'
import type { MessageEvent } from './outbox.ts'
import { requireMember } from './require-member.ts'
import { wordsOfContent } from './search-words.ts'

/** Which message: of the room, where the request names one. */
export interface MessageName {
  id: string
  room?: string
}

/**
 * What editing, recalling, reacting and pinning have in common: a member who is not banned changes a message
 * that is not deleted, its updated time rises, and messageUpdated goes to the room. `change` answers undefined
 * when nothing changes; then nothing is told.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, MESSAGE_NOT_FOUND, USER_BLOCKED, and what `change` throws
 */
export async function changeMessage(
  chat: Chat,
  caller: { app: string; user: string },
  name: MessageName,
  change: (message: MessageDoc, room: RoomDoc) => MessageChange | undefined,
): Promise<{ message: MessageDoc; sender: UserDoc | undefined }> {
  const { db } = chat
  const { message, changed } = await inTransaction(db, async (session) => {
    const found = await findMessageOfApp(db, caller.app, name.id, session)
    if (!found && name.room === undefined) throw unknownMessage(name.id)
    const { room, membership } = await requireMember(chat, caller, name.room ?? found?.room ?? '', session)
    if (!found || found.roomKey !== room._id || isDeletedIn(found, room)) throw unknownMessage(name.id)
    if (membership.blocked) throw new ApiError('USER_BLOCKED')
    const wanted = change(found, room)
    if (!wanted) return { message: found, changed: false }
    const updatedAtMS = await takeRoomTime(db, room, session)
    const written = await writeChange(db, found, wanted, updatedAtMS, 'messageUpdated', session)
    if (written.content !== found.content) {
      await setSearchWords(db, written, wordsOfContent(written.content), session)
    }
    return { message: written, changed: true }
  })
  const sender = (await findUser(db, caller.app, message.sender)) ?? undefined
  if (changed) publishChange(chat, { message, sender, event: 'messageUpdated' })
  return { message, sender }
}

/** Publishes the event of a change that is committed. */
export function publishChange(chat: Chat, event: MessageEvent): void {
  void chat.outbox.publish(messageEventId(event.message, event.event), [event])
}

export function unknownMessage(id: string): ApiError {
  return new ApiError('MESSAGE_NOT_FOUND', `no message ${JSON.stringify(id)}, or it was deleted`)
}
