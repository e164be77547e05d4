import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { errorCatalogue } from './errors.ts'

test('docs/errors.md has exactly one entry with a cure for every code, under its status', () => {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const entries = page
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [status, ...parts] = section.split(/^### /m)
      return parts.map((part) => ({ status: Number(status), code: part.split('\n')[0] ?? '', text: part }))
    })
  const expected = Object.entries(errorCatalogue).map(([code, { status }]) => `${status} ${code}`)
  assert.deepEqual(entries.map(({ status, code }) => `${status} ${code}`).toSorted(), expected.toSorted())
  for (const { code, text } of entries) {
    assert.match(text, /\*\*Do:\*\*/, `${code} says what to do`)
    const ours = 'ours' in errorCatalogue[code as keyof typeof errorCatalogue]
    assert.equal(text.includes('*Extension.*'), ours, `${code} is marked as an extension or not`)
  }
})
