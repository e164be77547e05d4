/** A message's text in parts: plain, links that open safely, and mentions. */
export interface TextPart {
  text: string
  href?: string
  /** Whom it mentions. */
  mentions?: string
}

const links = /https?:\/\/[^\s<>"'`\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]+/giu
/** At the end of a link they belong to the sentence. */
const endOfSentence = /[.,;:!?)\]}，。；：！？）】]+$/u

/** @param mentioned the names of mentioned users, by their ID */
export function textParts(text: string, mentioned: ReadonlyMap<string, string> = new Map()): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const match of text.matchAll(links)) {
    const href = withoutEnd(match[0])
    if (!URL.canParse(href)) continue
    parts.push(...mentionParts(text.slice(at, match.index), mentioned), { text: href, href })
    at = match.index + href.length
  }
  return [...parts, ...mentionParts(text.slice(at), mentioned)]
}

/** A bracket that was opened in the link is part of it. */
function withoutEnd(link: string): string {
  const end = endOfSentence.exec(link)?.[0] ?? ''
  const body = link.slice(0, link.length - end.length)
  return end.startsWith(')') && body.includes('(') ? `${body})` : body
}

function mentionParts(text: string, mentioned: ReadonlyMap<string, string>): TextPart[] {
  const names = [...mentioned].filter(([, name]) => name !== '' && text.includes(`@${name}`))
  const [first] = names
    .map(([id, name]) => ({ id, name, at: text.indexOf(`@${name}`) }))
    .toSorted((a, b) => a.at - b.at)
  if (!first) return text === '' ? [] : [{ text }]
  const end = first.at + first.name.length + 1
  return [
    ...(first.at > 0 ? [{ text: text.slice(0, first.at) }] : []),
    { text: text.slice(first.at, end), mentions: first.id },
    ...mentionParts(text.slice(end), mentioned),
  ]
}
