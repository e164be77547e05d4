import type { Formatted } from './markdown.ts'

const blocks: ReadonlySet<string> = new Set(['p', 'pre', 'ul', 'ol', 'li', 'blockquote'])

/** Parsed Markdown as plain text. List items keep their numbers and bullets. */
export function plainText(parts: readonly (Formatted | string)[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : textOf(part))).join('')
}

function textOf({ tag, start = 1, children }: Formatted): string {
  if (tag === 'ol') return children.map((item, n) => `${start + n}. ${plainText([item])}`).join('')
  if (tag === 'ul') return children.map((item) => `• ${plainText([item])}`).join('')
  const text = plainText(children)
  return blocks.has(tag) && !text.endsWith('\n') ? `${text}\n` : text
}
