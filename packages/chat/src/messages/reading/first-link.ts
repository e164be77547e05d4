import { createHash } from 'node:crypto'
import type { Result } from '@parley/contracts/operation'
import type { getLinkCard as operation } from '@parley/contracts/operations/messages/link-cards'
import { findLinkCard } from '@parley/db/link-cards'
import { LinkifyIt } from 'linkify-it'
import type { Caller } from '../../access/caller.ts'
import type { Chat } from '../../chat.ts'
import { requireReadable } from '../require-message.ts'
import { textOf } from './message-text.ts'

const linkify = new LinkifyIt({ fuzzyEmail: false })
/** A link that begins later or is longer gets no card. */
const max = { text: 4_096, link: 2_048 }

/** The first http or https link in a message's content that can have a card, that is without user and password. */
export function firstLink(content: unknown): string | undefined {
  const text = textOf(content).slice(0, max.text)
  const at = text.search(/(?<![a-z\d])https?:\/\//iu)
  if (at === -1) return undefined
  const rest = text.slice(at, at + max.link)
  // The part before an @ is a user, not the host.
  if (/^https?:\/\/[^\s/?#]*@/iu.test(rest)) return undefined
  const scheme = rest.slice(0, rest.indexOf(':') + 1)
  const length = linkify.testSchemaAt(rest, scheme.toLowerCase(), scheme.length)
  const link = rest.slice(0, scheme.length + length)
  return length > 0 && URL.canParse(link) ? link : undefined
}

/** Key of a link in the collection of cards, since links may have any length. */
export function digestOfLink(link: string): string {
  return createHash('sha256').update(link).digest('base64url')
}

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
