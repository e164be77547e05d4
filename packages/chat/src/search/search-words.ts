import { foldLetters } from '@parley/db/users/searched-names'
import { textOf } from '../messages/reading/message-text.ts'

/** Maximum number of terms of a text, which bounds the index of a message. */
const maxTerms = 2_000
const maxWordLength = 64
/** Lengths of the indexed prefixes, by which a word is found. */
const beginnings = [3, 4, 5, 8]

/** Letters of scripts without spaces, or, as in Korean, with particles joined to the word. */
const unspaced =
  '[[\\p{L}\\p{M}\\p{N}]&&[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]]'
/** Runs of letters and digits. Everything else separates words, except characters that join letters (ZWNJ). */
const runs = new RegExp(`(?<unspaced>${unspaced}+)|(?:[[\\p{L}\\p{M}\\p{N}\\u200c]--${unspaced}])+`, 'gv')
/** A letter with its marks. */
const units = /\P{M}\p{M}*/gu
/** Scripts in which a single letter may be a word. */
const wordLetter = /^[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u
/** The parts of camelCase, HTMLElement and version2. */
const innerParts = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[[\p{L}\p{M}]--\p{Lu}]+|\p{N}+/gv

/** A word of a text, or a pair of letters in a script without spaces. */
interface Word {
  term: string
  /** Other words that it is found by. */
  parts: string[]
  isPair: boolean
}

/** Splits a text, of a message or a keyword, into words. */
function* wordsIn(text: string): Generator<Word> {
  for (const { 0: run, groups } of foldLetters(text).matchAll(runs)) {
    if (groups?.['unspaced'] === undefined) yield wordOf(run)
    else yield* pairsOf(run)
  }
}

function wordOf(run: string): Word {
  const parts = run.split('\u200c').flatMap((part) => part.match(innerParts) ?? [])
  return { term: fold(run), parts: parts.length > 1 ? parts.map(fold) : [], isPair: false }
}

function fold(part: string): string {
  const lower = part.replaceAll('\u200c', '').toLowerCase()
  // A final sigma is a different letter in lower case.
  return lower.slice(0, maxWordLength).toWellFormed().replaceAll('ς', 'σ')
}

function* pairsOf(run: string): Generator<Word> {
  const letters = run.match(units) ?? []
  for (const [i, letter] of letters.entries()) {
    const next = letters[i + 1]
    if (next === undefined && i > 0) return
    const parts = [letter, next ?? ''].filter((each) => wordLetter.test(each))
    yield { term: letter + (next ?? ''), parts, isPair: true }
  }
}

/** The indexed prefixes of a word, longest last. */
function beginningsOf(word: string): string[] {
  return beginnings.filter((length) => length <= word.length).map((length) => word.slice(0, length).toWellFormed())
}

/** The index terms of a text: its words, their parts, and prefixes of these. */
export function termsOf(text: string): string[] {
  const terms = new Set<string>()
  for (const { term, parts, isPair } of wordsIn(text)) {
    for (const word of [term, ...parts]) {
      terms.add(word)
      if (!isPair) for (const beginning of beginningsOf(word)) terms.add(beginning)
    }
    if (terms.size >= maxTerms) break
  }
  return [...terms].filter((term) => term !== '').slice(0, maxTerms)
}

/** The index terms of a message's content: a text, or the `text` of an object. */
export function termsOfContent(content: string | undefined): string[] {
  if (content === undefined) return []
  return termsOf(textOf(JSON.parse(content)))
}

/** The conditions that a keyword sets on a text's terms: each of its words must match, whole or as a prefix. */
export function conditionsOf(keyword: string): (string | RegExp)[] {
  const conditions = new Map<string, string | RegExp>()
  for (const { term, isPair } of wordsIn(keyword)) {
    const beginning = isPair ? term : (beginningsOf(term).at(-1) ?? term)
    if (term === '') continue
    conditions.set(beginning, beginning)
    // Needs no escaping: a word has only letters, marks and digits.
    if (beginning !== term) conditions.set(`^${term}`, new RegExp(`^${term}`))
  }
  return [...conditions.values()]
}
