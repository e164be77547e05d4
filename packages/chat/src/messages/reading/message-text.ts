/** The text of a content: a string itself, or the `text` of an object. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (typeof content !== 'object' || content === null || !('text' in content)) return ''
  return typeof content.text === 'string' ? content.text : ''
}

/** The first characters of a text: by code points, so that no emoji is split. */
export function cut(text: string, most: number): string {
  return text.length <= most
    ? text
    : Array.from(text.slice(0, 2 * most))
        .slice(0, most)
        .join('')
}
