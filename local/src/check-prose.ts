import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'

interface Figures {
  /** "who", "whom" and "whose" per 1,000 words. */
  who: number
  /** "what" per 1,000 words. */
  what: number
  /** Lines that begin with Who, What, So many, Nobody or As many. */
  openers: number
}

/** Upper bounds. */
const max: Record<string, Figures> = {
  'comments of packages': { who: 1.5, what: 3, openers: 0 },
  'comments of services': { who: 1.5, what: 3, openers: 0 },
  'comments and titles of tests': { who: 2, what: 4, openers: 0 },
  pages: { who: 2, what: 4, openers: 6 },
}

/** Maximum words per page. */
const maxWords = { 'README.md': 1_300, 'ARCHITECTURE.md': 3_000, 'docs/benchmarks.md': 1_800, 'CHANGELOG.md': 1_500 }

const root = join(import.meta.dirname, '../..')
const opener = /^[/*\s#|-]*(Who|Whom|Whose|What|So much|So many|Whoever|Nobody|As many|As much)\b(?!.*\?)/

/** `npm run check:prose`. */
new Command('npm run check:prose --')
  .description('Counts filler words in comments and pages, and the words of the long pages, against upper bounds.')
  .parse()
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
const typescript = files.filter((file) => /\.tsx?$/.test(file) && !/generated|examples|\.d\.ts/.test(file))
const isTest = (file: string) => /\.test\.|\/test-|\/test\/|^test\//.test(file)
const sources = typescript.filter((file) => !isTest(file))
const inFolder = (folder: string) => sources.filter((file) => file.startsWith(folder)).flatMap(commentLines)
const lines: Record<string, string[]> = {
  'comments of packages': inFolder('packages/'),
  'comments of services': inFolder('services/'),
  'comments and titles of tests': typescript.filter(isTest).flatMap((file) => commentLines(file).concat(titles(file))),
  pages: files.filter((file) => file.endsWith('.md')).flatMap(linesOf),
}
for (const [name, bounds] of Object.entries(max)) {
  const figures = figuresOf(lines[name] ?? [])
  const over = Object.entries(bounds).filter(([figure, bound]) => figures[figure as keyof Figures] > bound)
  const text = Object.entries(figures).map(([figure, value]) => `${figure} ${value}`)
  console.log(`${name}: ${text.join(', ')}${over.map(([figure, bound]) => ` (${figure}: at most ${bound})`).join('')}`)
  if (over.length > 0) process.exitCode = 1
}
for (const [file, bound] of Object.entries(maxWords)) {
  const words = linesOf(file).join(' ').split(/\s+/).filter(Boolean).length
  if (words <= bound) continue
  console.log(`${file}: ${words} words (at most ${bound})`)
  process.exitCode = 1
}

function linesOf(file: string): string[] {
  return readFileSync(join(root, file), 'utf8').split('\n')
}

/** The text of all comments, by line. */
function commentLines(file: string): string[] {
  let isInside = false
  return linesOf(file).flatMap((line) => {
    const text = line.trim()
    if (text.startsWith('/*')) isInside = true
    const found = isInside || /^(\/\/|\*)/.test(text) ? text : / \/\/ (.*)/.exec(line)?.[1]
    if (text.includes('*/')) isInside = false
    return found ?? []
  })
}

/** Test titles given as literals. */
function titles(file: string): string[] {
  const found = linesOf(file)
    .join('\n')
    .matchAll(/^\s*(?:test|describe)[\w.]*(?:\([^'"`\n]*\))?\(\s*(['"`])(.+)\1/gm)
  // Titles begin with a lowercase letter.
  return [...found].map(([, , title = '']) => title.charAt(0).toUpperCase() + title.slice(1))
}

function figuresOf(text: readonly string[]): Figures {
  const words = text.flatMap((line) => line.toLowerCase().match(/[a-z']+/g) ?? [])
  const per1000 = (...counted: string[]) =>
    Math.round((10_000 * words.filter((word) => counted.includes(word)).length) / Math.max(1, words.length)) / 10
  return {
    who: per1000('who', 'whom', 'whose'),
    what: per1000('what'),
    openers: text.filter((line) => opener.test(line)).length,
  }
}
