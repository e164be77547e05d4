import type { Result } from '@parley/contracts/operation'
import type { getLinkCard as operation } from '@parley/contracts/operations/messages/link-cards'
import { findLinkCard } from '@parley/db/link-cards'
import type { Caller } from '../../access/caller.ts'
import type { Chat } from '../../chat.ts'
import { requireReadable } from '../require-message.ts'
import { digestOfLink, firstLink } from './first-link.ts'

/**
 * The card of the first link of a message, if it has one. Callers get no cards for messages that they cannot read.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function getLinkCard({ db }: Chat, by: Caller, id: string): Promise<Result<typeof operation>> {
  const { message } = await requireReadable(db, by, id)
  const url = message.content === undefined ? undefined : firstLink(JSON.parse(message.content))
  const card = url === undefined ? undefined : await findLinkCard(db, by.app, digestOfLink(url))
  return { messageID: id, ...(url !== undefined && card && { card: { url, ...card } }) }
}
