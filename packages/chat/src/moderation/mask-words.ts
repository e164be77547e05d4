import type { Letters } from './letters.ts'
import { buildAutomaton } from './word-automaton.ts'

/** Scripts without spaces between words, where a listed word matches anywhere. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u

/**
 * Symbols between two characters mark where a word begins or ends. A listed word that matches only as a whole begins
 * and ends with one, so that every match of the automaton is a whole word.
 */
const notInWordBefore = 0x1_00_01
const notInWordAfter = 0x1_00_02
const notInWordAround = 0x1_00_03

/** Masks words in texts, ignoring case: only whole words, except in scripts without spaces; also overlapping ones. */
export function maskOfWords(words: readonly string[], read: (text: string) => Letters) {
  const automaton = buildAutomaton(
    words.map((word) => ({ symbols: symbolsOf(read(word), !unspaced.test(word)), value: word.length })),
  )

  function findWords({ folded, inWord }: Letters): Spans {
    const found = createSpans()
    let state = 0
    const step = (symbol: number, end: number) => {
      state = automaton.next(state, symbol)
      const length = automaton.longest(state)
      if (length > 0) found.add(end - length, end)
    }
    for (let i = 0; i <= folded.length; i++) {
      const gap = gapSymbol(inWord, i)
      if (gap !== 0) step(gap, i)
      if (i < folded.length) step(folded[i] ?? 0, i + 1)
    }
    return found
  }

  return {
    /** Number of states of its automaton, at 40 bytes each. */
    size: automaton.size,
    /** Replaces each character of a listed word with `*`, in time linear in the text, whatever the words. */
    mask: (text: string) => {
      let masked = ''
      let at = 0
      const { starts, ends } = findWords(read(text))
      for (const [i, start] of starts.entries()) {
        const end = ends[i] ?? start
        masked += text.slice(at, start) + '*'.repeat(charactersIn(text, start, end))
        at = end
      }
      return at === 0 ? text : masked + text.slice(at)
    },
  }
}

function charactersIn(text: string, start: number, end: number): number {
  let count = 0
  for (let i = start; i < end; i++) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) count++
  return count
}

interface Spans {
  starts: number[]
  ends: number[]
  /** Adds a part that ends no earlier than the last one, and merges overlapping parts. */
  add: (start: number, end: number) => void
}

function createSpans(): Spans {
  const starts: number[] = []
  const ends: number[] = []
  return {
    starts,
    ends,
    add(start, end) {
      let from = start
      while (ends.length > 0 && (ends.at(-1) ?? 0) > start) {
        from = Math.min(from, starts.pop() ?? start)
        ends.pop()
      }
      starts.push(from)
      ends.push(end)
    },
  }
}

function symbolsOf({ folded, inWord }: Letters, asWhole: boolean): number[] {
  const symbols: number[] = []
  for (let i = 0; i <= folded.length; i++) {
    const isInside = i > 0 && i < folded.length
    const gap = isInside || asWhole ? gapSymbol(inWord, i) : 0
    if (gap !== 0) symbols.push(gap)
    if (i < folded.length) symbols.push(folded[i] ?? 0)
  }
  return symbols
}

/**
 * The symbol between the unit before `i` and that at `i`; 0 within a word. The ends of the text count as outside words.
 */
function gapSymbol(inWord: Uint8Array, i: number): number {
  if (inWord[i - 1]) return inWord[i] ? 0 : notInWordAfter
  return inWord[i] ? notInWordBefore : notInWordAround
}
