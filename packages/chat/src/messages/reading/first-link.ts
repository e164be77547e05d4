import { createHash } from 'node:crypto'
import { LinkifyIt } from 'linkify-it'
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
