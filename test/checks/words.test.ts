import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const find = (patterns: string[]) => globSync(patterns, { cwd: root, exclude: ['**/{node_modules,.parley,.venv}/**'] })
const sources = find(['{packages,services,local,bench,examples,test}/**/*.{ts,tsx}']).filter(
  (file) => file !== 'test/checks/words.test.ts',
)
const pages = find(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'examples/**/*.md', 'deploy/**/*.md'])

/** Words that comments and the contract's descriptions do without, and what to write in their place. */
const words: [RegExp, instead: string][] = [
  [/\b(he|his|him|himself)\b/i, 'they, their, them, themselves'],
  [/\banswers\b(?! (are|of|that|in|to|on|may|with|which)\b)/i, 'returns, responds; responses'],
  [/\b(surely|obeys?|obeyed|whoever)\b/i, 'a plain word'],
  [/\b(tells|told)\b/i, 'reports, notifies, emits, says'],
  [/\bunder way\b/i, 'in flight'],
]

/** Words of our own that names, titles of tests and pages do without too. */
const named: [RegExp, instead: string][] = [
  [/\b(tell|tells|told)\b(?! (the|them) )/, 'reports, notifies, publishes'],
  [/\b(are|is)?(tell|Tell|Told)[A-Z]\w*|\w+Told\b/, 'notifyX, isReported'],
  [/\bunder ?way\b/i, 'inFlight'],
  [/\b(surely|obey\w*|buried|revived?)\b/i, 'retryForever, handle, deadLetter, requeue'],
  [/\b(idle)\(\)/, 'drained()'],
  [/\banswers (the|a|an|it|them|with|\d)\b/, 'returns, responds'],
  [/\b[a-z]\w+Ms\b(?<!mtimeMs)/, 'MS'],
]

describe('comments are written in plain words', () => {
  for (const [word, instead] of words) {
    test(`${String(word)}: write ${instead}`, () => {
      const found = sources.flatMap((file) =>
        commentsIn(readFileSync(join(root, file), 'utf8'))
          .filter(({ text }) => word.test(text))
          .map(({ line, text }) => `${file}:${line}: ${text.trim()}`),
      )
      assert.deepEqual(found, [])
    })
  }

  for (const [word, instead] of named) {
    test(`${String(word)} in names and pages: write ${instead}`, () => {
      const found = [...sources, ...pages].flatMap((file) =>
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .flatMap((text, index) => (word.test(text) ? [`${file}:${index + 1}: ${text.trim()}`] : [])),
      )
      assert.deepEqual(found, [])
    })
  }

  test('comments are found', () => {
    assert.deepEqual(
      commentsIn("/** One. */\nconst a = 'http://b' // two\n/*\n * three\n */").map(({ text }) => text.trim()),
      ['/** One. */', '// two', '/*', '* three', '*/'],
    )
  })
})

/** The comments of a source, line by line, and its descriptions, which end up in the OpenAPI document. */
function commentsIn(source: string): { line: number; text: string }[] {
  let isInside = false
  return source.split('\n').flatMap((text, index) => {
    const line = index + 1
    const starts = /^\s*\/\*/.test(text)
    const found =
      isInside || starts ? text : /(?<!:)\/\/ .*|(?:describe\(|summary: |description: |^ +)['`][A-Z].*/.exec(text)?.[0]
    isInside = (isInside || starts) && !text.includes('*/')
    return found === undefined ? [] : [{ line, text: found }]
  })
}
