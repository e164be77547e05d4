import { linksIn } from './links.ts'

/** A message's text in parts: plain, links that open safely, and mentions. */
export interface TextPart {
  text: string
  href?: string
  /** The mentioned user. */
  mentions?: string
}

/**
 * Its time grows with the text's length, not faster: any member can send 64 KiB that are made to be slow.
 * @param mentioned the names of mentioned users, by their ID
 */
export function textParts(text: string, mentioned: ReadonlyMap<string, string> = new Map()): TextPart[] {
  const names = namesIn(text, mentioned)
  const parts: TextPart[] = []
  let at = 0
  for (const { index, href } of linksIn(text)) {
    addMentions(parts, text.slice(at, index), names)
    parts.push({ text: href, href })
    at = index + href.length
  }
  addMentions(parts, text.slice(at), names)
  return parts
}

interface Names {
  ids: ReadonlyMap<string, string>
  /** The longest first: it wins at the same place. */
  lengths: readonly number[]
}

function namesIn(text: string, mentioned: ReadonlyMap<string, string>): Names {
  const ids = new Map<string, string>()
  for (const [id, name] of mentioned) {
    // Of two users of one name it is the first.
    if (name !== '' && !ids.has(name) && text.includes(`@${name}`)) ids.set(name, id)
  }
  const lengths = [...new Set([...ids.keys()].map(({ length }) => length))].toSorted((a, b) => b - a)
  return { ids, lengths }
}

function addMentions(parts: TextPart[], text: string, { ids, lengths }: Names): void {
  let from = 0
  let at = text.indexOf('@')
  while (at >= 0) {
    const after = at + 1
    const length = lengths.find((length) => ids.has(text.slice(after, after + length)))
    if (length !== undefined) {
      if (at > from) parts.push({ text: text.slice(from, at) })
      from = after + length
      parts.push({ text: text.slice(at, from), mentions: ids.get(text.slice(after, from)) ?? '' })
    }
    at = text.indexOf('@', Math.max(from, after))
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
}
