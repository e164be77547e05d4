import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import { maxReadersMembers, type listReaders as operation } from '@parley/contracts/operations/messages/readers'
import { findReaders, type MessageReader } from '@parley/db/messages/readers'
import type { UserDoc } from '@parley/db/users/documents'
import { findUsers } from '@parley/db/users/users'
import type { Caller } from '../../access/caller.ts'
import type { Chat } from '../../chat.ts'
import { toSenderView } from '../../views/message.ts'
import { requireReadable } from '../require-message.ts'

type ReaderView = Result<typeof operation>['data'][number]

/**
 * The readers of a message, longest-standing member first (docs/reference/messages.md#readers).
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER; RESULT_TOO_LARGE if the room has too many
 * members
 */
export async function listReaders({ db }: Chat, by: Caller, id: string): Promise<Result<typeof operation>> {
  const { room, message } = await requireReadable(db, by, id)
  if (room.memberCount > maxReadersMembers) {
    throw new ApiError('RESULT_TOO_LARGE', `readers are listed only in rooms of at most ${maxReadersMembers} members`)
  }
  const readers = await findReaders(db, message, { limit: maxReadersMembers })
  const ids = readers.map(({ user }) => user)
  const users = await findUsers(db, by.app, ids)
  return {
    messageID: id,
    roomID: room.id,
    totalCount: readers.length,
    memberCount: room.memberCount,
    data: readers.map((reader) => toReaderView(reader, users.get(reader.user))),
  }
}

function toReaderView({ user, markerSetAtMS }: MessageReader, profile: UserDoc | undefined): ReaderView {
  return {
    ...toSenderView(user, profile),
    ...(markerSetAtMS !== undefined && { lastReadTimeMS: markerSetAtMS }),
  }
}
