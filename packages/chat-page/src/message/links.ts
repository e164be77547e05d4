import { LinkifyIt } from 'linkify-it'

const linkify = new LinkifyIt({ fuzzyEmail: false })
const schemes = /https?:/giu
/** They belong to no address, and would show another one. */
const bidiControls = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u
/** Longer addresses are cut: browsers refuse them too. */
const longest = 4_096

export interface FoundLink {
  index: number
  href: string
}

/** The addresses of http and https in a text, from left to right. */
export function* linksIn(text: string): Generator<FoundLink> {
  let at = 0
  for (const { index } of text.matchAll(schemes)) {
    const href = index < at ? undefined : linkAt(text, index)
    if (href === undefined) continue
    yield { index, href }
    at = index + href.length
  }
}

/** The address that begins at this place, as it stands there: without what belongs to the sentence around it. */
export function linkAt(text: string, index: number): string | undefined {
  // Not in the middle of a word; Chinese and Japanese have no spaces.
  if (/[a-z\d]/iu.test(text.charAt(index - 1))) return undefined
  const candidate = text.slice(index, index + longest)
  const control = candidate.search(bidiControls)
  const rest = control === -1 ? candidate : candidate.slice(0, control)
  const scheme = rest.slice(0, rest.indexOf(':') + 1)
  const length = linkify.testSchemaAt(rest, scheme, scheme.length)
  const href = rest.slice(0, scheme.length + length)
  // Before an @ stands a name, not a host.
  const isHost = candidate.charAt(href.length) !== '@'
  return length > 0 && isHost && URL.canParse(href) ? href : undefined
}
