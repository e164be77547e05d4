/** Words of one text at most: what bounds the index of a message. */
const maxWords = 1_000
const maxWordLength = 64

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/**
 * The words that a text is found by, each once: without case and accents. Knows the word boundaries of languages
 * that write no spaces.
 */
export function wordsOf(text: string): string[] {
  const words = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(fold(text))) {
    if (isWordLike) words.add(segment.slice(0, maxWordLength))
    if (words.size === maxWords) break
  }
  return [...words]
}

/** The words of a message's content: of a text, or of the `text` of an object. */
export function wordsOfContent(content: string | undefined): string[] {
  if (content === undefined) return []
  const value: unknown = JSON.parse(content)
  if (typeof value === 'string') return wordsOf(value)
  if (typeof value !== 'object' || value === null || !('text' in value)) return []
  return typeof value.text === 'string' ? wordsOf(value.text) : []
}

/** An é is found as an e. Only the marks of alphabets: in other scripts marks are letters. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
}
