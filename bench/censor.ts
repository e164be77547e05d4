import { createLetterReader } from '@parley/chat/moderation/letters'
import { maskOfWords } from '@parley/chat/moderation/mask-words'
import { wholeNumber } from '@parley/local/whole-number'
import { Command } from 'commander'
import { printTable } from './print-table.ts'
import { median } from './quantile.ts'
import { saveResults } from './save-results.ts'

const { words: count, rounds } = new Command('npm run bench:censor --')
  .description(
    `Masks the listed words in a message of 64 KiB. Each time is also given as a multiple of parsing and serializing the same text as
JSON, which every message costs. Goal: the best round of each text under 10 ms with 10,000 words. The medians show how busy the
machine is.`,
  )
  .option('--words <number>', 'words in the list', wholeNumber(1, 1_000_000), 10_000)
  .option('--rounds <number>', 'rounds per text', wholeNumber(1, 100_000), 50)
  .parse()
  .opts<{ words: number; rounds: number }>()
const wantedMS = 10
const bytes = 64 * 1024

const any = (max: number) => Math.floor(Math.random() * max)
const wordOf = (first: number, letters: number, length: number) =>
  String.fromCodePoint(...Array.from({ length }, () => first + any(letters)))
const latin = Array.from({ length: count }, () => wordOf(0x61, 26, 4 + any(8)))
const han = Array.from({ length: count }, () => wordOf(0x4e00, 3_000, 2 + any(3)))
// Overlapping words are the worst case of a naive search.
const nested = Array.from({ length: Math.min(count, 1_000) }, (_, i) => `${'a '.repeat(i)}a`)

const texts: [name: string, words: string[], text: string][] = [
  ['words, none listed', latin, fill(() => `${wordOf(0x61, 26, 12)} `)],
  ['words, all listed', latin, fill(() => `${latin[any(count)]} `)],
  ['Chinese, none listed', han, fill(() => wordOf(0x8000, 1_000, 20))],
  ['Chinese, all listed', han, fill(() => han[any(count)] ?? '')],
  ['emoji', latin, fill(() => wordOf(0x1_f6_00, 60, 8))],
  ['nested words', nested, fill(() => 'a ')],
]

/** Repeats pieces up to 64 KiB of UTF-8. */
function fill(piece: () => string): string {
  let text = ''
  for (let next = piece(); Buffer.byteLength(text + next) <= bytes; next = piece()) {
    // Checking the length costs more than a piece, so check only every 20 pieces.
    text += next + Array.from({ length: 20 }, piece).join('')
  }
  return Buffer.from(text).subarray(0, bytes).toString().replaceAll('\ufffd', '')
}

function timesOf(work: () => unknown): number[] {
  return Array.from({ length: rounds }, () => {
    const since = performance.now()
    work()
    return performance.now() - since
  })
}

const read = createLetterReader()
const results = texts.map(([name, words, text]) => {
  const listed = maskOfWords(words, read)
  const masking = timesOf(() => listed.mask(text))
  const asJson = Math.min(...timesOf(() => JSON.stringify(JSON.parse(JSON.stringify(text)))))
  const [bestMS, medianMS] = [Math.min(...masking), median(masking)]
  return { text: name, words: words.length, bestMS, medianMS, asJson, ratio: bestMS / asJson }
})
printTable(results)
saveResults('censor', results)
const worst = Math.max(...results.map(({ bestMS }) => bestMS))
console.log(`\ngoal: under ${wantedMS} ms each; slowest: ${worst.toFixed(2)} ms`)
process.exitCode = worst < wantedMS ? 0 : 1
