import type { FoundLink } from './links.ts'

/** A part of a message's text: plain text, a link or a mention. */
export interface TextPart {
  text: string
  href?: string
  /** The mentioned user. */
  mentions?: string
}

/**
 * Splits a text into parts in linear time, since any member can send 64 KiB crafted to be slow.
 * @param mentioned the names of mentioned users, by ID
 * @param linksIn finds URLs; without it, they stay text
 */
export function textParts(
  text: string,
  mentioned: ReadonlyMap<string, string> = new Map(),
  linksIn: (text: string) => Iterable<FoundLink> = () => [],
): TextPart[] {
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
  /** Longest first: the longest name wins. */
  lengths: readonly number[]
}

function namesIn(text: string, mentioned: ReadonlyMap<string, string>): Names {
  const ids = new Map<string, string>()
  const lengths = new Set<number>()
  const small = text.toLowerCase()
  for (const [id, name] of mentioned) {
    const key = name.toLowerCase()
    // If two users share a name, the first one wins.
    if (name === '' || ids.has(key) || !(small.includes(`@${key}`) || small.includes(`＠${key}`))) continue
    ids.set(key, id)
    lengths.add(name.length)
  }
  return { ids, lengths: [...lengths].toSorted((a, b) => b - a) }
}

function addMentions(parts: TextPart[], text: string, { ids, lengths }: Names): void {
  let from = 0
  for (const { index } of text.matchAll(/[@＠]/g)) {
    if (index < from) continue
    const idOf = (length: number) => ids.get(text.slice(index + 1, index + 1 + length).toLowerCase())
    const length = lengths.find((one) => idOf(one) !== undefined)
    if (length === undefined) continue
    if (index > from) parts.push({ text: text.slice(from, index) })
    from = index + 1 + length
    parts.push({ text: text.slice(index, from), mentions: idOf(length) ?? '' })
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
}
