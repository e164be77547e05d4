import type { Result } from '@parley/contracts/operation'
import type { getLinkCard as operation } from '@parley/contracts/operations/messages/link-cards'
import { findLinkCard } from '@parley/db/link-cards'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import { findRoomOfMessage, findSentMessage } from '@parley/db/messages/messages'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Caller } from '../../access/caller.ts'
import { findRole } from '../../access/room-role.ts'
import type { Chat } from '../../chat.ts'
import { unknownMessage } from '../changing/change-message.ts'
import { digestOfLink, firstLink } from './first-link.ts'

/**
 * The card of the first link of a message, if it has one. Callers get no cards for messages that they cannot read.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function getLinkCard({ db }: Chat, by: Caller, id: string): Promise<Result<typeof operation>> {
  const roomId = await findRoomOfMessage(db, by.app, id)
  if (roomId === undefined) throw unknownMessage(id)
  const { room } = await inTransaction(db, (session) => findRole({ db }, by, roomId, session))
  const message = await findSentMessage(db, room._id, id)
  if (!message || isDeletedIn(message, room)) throw unknownMessage(id)
  const url = message.content === undefined ? undefined : firstLink(JSON.parse(message.content))
  const card = url === undefined ? undefined : await findLinkCard(db, by.app, digestOfLink(url))
  return { messageID: id, ...(url !== undefined && card && { card: { url, ...card } }) }
}
