import { LinkifyIt } from 'linkify-it'

const linkify = new LinkifyIt({ fuzzyEmail: false })
const schemes = /https?:/giu
/** Not part of a URL: they could make it look like another one. */
const bidiControls = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u
/** Longer URLs are cut. */
const longest = 4_096

export interface FoundLink {
  index: number
  href: string
}

/** The http and https URLs in a text, in order. */
export function* linksIn(text: string): Generator<FoundLink> {
  let at = 0
  for (const { index } of text.matchAll(schemes)) {
    const href = index < at ? undefined : linkAt(text, index)
    if (href === undefined) continue
    yield { index, href }
    at = index + href.length
  }
}

/** The URL that starts at the index, without punctuation of the surrounding sentence. */
export function linkAt(text: string, index: number): string | undefined {
  // Not inside a word. Chinese and Japanese have no spaces, so their letters may precede.
  if (/[a-z\d]/iu.test(text.charAt(index - 1))) return undefined
  const candidate = text.slice(index, index + longest)
  const control = candidate.search(bidiControls)
  const rest = control === -1 ? candidate : candidate.slice(0, control)
  const scheme = rest.slice(0, rest.indexOf(':') + 1)
  const length = linkify.testSchemaAt(rest, scheme, scheme.length)
  const href = rest.slice(0, scheme.length + length)
  // Text before an @ is user info, not a host.
  const isHost = candidate.charAt(href.length) !== '@'
  return length > 0 && isHost && URL.canParse(href) ? href : undefined
}
