import { textOf } from '../messages/reading/message-text.ts'

/** The most words of one text, which bounds the index of a message. */
const maxWords = 1_000
/** The most segments looked at, words and gaps, which bounds the time to some 10 ms. */
const maxSegments = 10_000
const maxWordLength = 64

/** Characters that are not part of words and slow the segmenter down. */
const notWords = /[^\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]{2,}/gu
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/**
 * The words by which a text is found, each once, without case and accents. Knows the word boundaries of languages
 * without spaces.
 */
export function wordsOf(text: string): string[] {
  const folded = fold(text)
  const words = new Set<string>()
  let segments = 0
  for (const { segment, isWordLike } of segmenter.segment(folded.replace(notWords, ' '))) {
    if (isWordLike) words.add(segment.slice(0, maxWordLength))
    if (words.size === maxWords || ++segments === maxSegments) break
  }
  return [...words]
}

/** The words of a message's content: of a text, or of the `text` of an object. */
export function wordsOfContent(content: string | undefined): string[] {
  if (content === undefined) return []
  return wordsOf(textOf(JSON.parse(content)))
}

/** One form of what keyboards and word processors write in several: don’t as don't, STRASSE as straße. */
function fold(text: string): string {
  return foldAccents(text)
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replaceAll('\u00ad', '')
    .replaceAll('ß', 'ss')
}

/** Removes accents, so that é is found as e. Only those of alphabets: in other scripts marks are letters. */
function foldAccents(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
}
