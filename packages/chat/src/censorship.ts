import type { ConfigDoc } from '@parley/db/config'
import { LRUCache } from 'lru-cache'

/** Masks the listed words in the content of a message (JSON text). */
type Mask = (content: string) => string
/** The masks of those apps that have any, from what they have under the config key, by app. */
export type Censor = (config: readonly ConfigDoc[]) => Map<string, Mask>

/** Config key under which the words stand: `{keywords: [...]}` (decisions.md, "Messages"). */
export const censorshipKey = 'censorship'
/** Words in one regular expression: engines refuse very large ones. */
const wordsPerPattern = 500
/** Scripts that write without spaces between words: there a listed word counts wherever it stands. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u

/**
 * The words are read with every batch of sends, so that a change holds at once on every gateway and nobody has to be
 * told of it; what is kept is only what was made of them.
 */
export function createCensor(): Censor {
  const made = new LRUCache<string, { mask: Mask | undefined }>({ max: 100 })
  return (config) => {
    const masks = new Map<string, Mask>()
    for (const { app, json } of config) {
      const { mask } = made.get(json) ?? { mask: makeMask(keywordsOf(json)) }
      made.set(json, { mask })
      if (mask) masks.set(app, mask)
    }
    return masks
  }
}

/** Config values may be any JSON: what is no list of words masks nothing. */
function keywordsOf(json: string): string[] {
  const value: unknown = JSON.parse(json)
  const keywords = typeof value === 'object' && value !== null && 'keywords' in value ? value.keywords : undefined
  return Array.isArray(keywords) ? keywords.filter((word) => typeof word === 'string' && word.trim() !== '') : []
}

function makeMask(keywords: readonly string[]): Mask | undefined {
  if (keywords.length === 0) return undefined
  // The longest first, so that of two words that begin alike the longer is masked whole.
  const words = [...new Set(keywords.map((word) => word.trim()))].toSorted((a, b) => b.length - a.length)
  const patterns: RegExp[] = []
  for (let i = 0; i < words.length; i += wordsPerPattern) {
    const alternatives = words.slice(i, i + wordsPerPattern).map(asPattern)
    patterns.push(new RegExp(alternatives.join('|'), 'giu'))
  }
  const maskText = (text: string) =>
    patterns.reduce(
      (masked, pattern) => masked.replaceAll(pattern, (word) => '*'.repeat(Array.from(word).length)),
      text,
    )
  return (content) => maskContent(content, maskText)
}

function asPattern(word: string): string {
  const literal = word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return unspaced.test(word) ? literal : String.raw`(?<![\p{L}\p{M}\p{N}_])${literal}(?![\p{L}\p{M}\p{N}_])`
}

/** The text of a message is a string, or the field `text` of an object. */
function maskContent(content: string, mask: (text: string) => string): string {
  const value: unknown = JSON.parse(content)
  if (typeof value === 'string') return JSON.stringify(mask(value))
  if (typeof value !== 'object' || value === null || !('text' in value) || typeof value.text !== 'string')
    return content
  return JSON.stringify({ ...value, text: mask(value.text) })
}
