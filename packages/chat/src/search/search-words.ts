import { foldLetters } from '@parley/db/users/searched-names'
import { textOf } from '../messages/reading/message-text.ts'

/** The most terms of one text, which bounds the index of a message. */
const maxTerms = 2_000
const maxWordLength = 64
/** A word is found by its beginning: the index has these lengths. */
const beginnings = [3, 4, 5, 8]

/** Letters of scripts that are written without spaces, or, in Korean, with particles joined to the word. */
const unspaced =
  '[[\\p{L}\\p{M}\\p{N}]&&[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]]'
/** Runs of letters and digits: everything else separates, except characters that join letters (ZWNJ). */
const runs = new RegExp(`(?<unspaced>${unspaced}+)|(?:[[\\p{L}\\p{M}\\p{N}\\u200c]--${unspaced}])+`, 'gv')
/** A letter with its marks. */
const units = /\P{M}\p{M}*/gu
/** Scripts in which a single letter may be a word. */
const wordLetter = /^[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u
/** The parts of camelCase, HTMLElement and version2. */
const innerParts = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[[\p{L}\p{M}]--\p{Lu}]+|\p{N}+/gv

/** A word of a text, or two letters of a script without spaces. */
interface Word {
  term: string
  /** Other words by which it is found. */
  parts: string[]
  isPair: boolean
}

/** Splits a text into words, of a message or of a keyword. */
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
  // A sigma at the end of a word is another letter in lower case.
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

/** The indexed beginnings of a word, the longest last. */
function beginningsOf(word: string): string[] {
  return beginnings.filter((length) => length <= word.length).map((length) => word.slice(0, length).toWellFormed())
}

/** The index terms of a text: its words, their parts and beginnings. */
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

/** The same for a message's content: for a text, or for the `text` of an object. */
export function termsOfContent(content: string | undefined): string[] {
  if (content === undefined) return []
  return termsOf(textOf(JSON.parse(content)))
}

/** The conditions of a keyword on a text's terms: each of its words, or words that begin with it. */
export function conditionsOf(keyword: string): (string | RegExp)[] {
  const conditions = new Map<string, string | RegExp>()
  for (const { term, isPair } of wordsIn(keyword)) {
    const beginning = isPair ? term : (beginningsOf(term).at(-1) ?? term)
    if (term === '') continue
    conditions.set(beginning, beginning)
    // A word has only letters, marks and digits.
    if (beginning !== term) conditions.set(`^${term}`, new RegExp(`^${term}`))
  }
  return [...conditions.values()]
}
