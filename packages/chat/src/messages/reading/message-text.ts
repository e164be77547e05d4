/** The text of a content: the string itself, or the `text` or else the `fallback` of an object. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const { text, fallback } = (typeof content === 'object' && content !== null ? content : {}) as Record<string, unknown>
  const shown = text ?? fallback
  return typeof shown === 'string' ? shown : ''
}

/** The first characters of a text, counted in code points, so that no emoji is split. */
export function truncate(text: string, max: number): string {
  return text.length <= max
    ? text
    : Array.from(text.slice(0, 2 * max))
        .slice(0, max)
        .join('')
}
