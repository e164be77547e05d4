import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const sources = globSync('{packages,services,local,bench,examples}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/node_modules/**'],
})

/** Words that comments and the contract's descriptions do without, and what to write in their place. */
const words: [RegExp, instead: string][] = [
  [/\b(he|his|him|himself)\b/i, 'they, their, them, themselves'],
  [/\banswers\b(?! (are|of|that|in|to|on|may|with|which)\b)/i, 'returns, responds; responses'],
  [/\b(surely|obeys?|obeyed|whoever)\b/i, 'a plain word'],
  [/\b(tells|told)\b/i, 'reports, notifies, emits, says'],
  [/\bunder way\b/i, 'in flight'],
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
