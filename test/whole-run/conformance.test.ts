import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unproven, untrue } from '@parley/conformance/page'
import { describe, test } from 'vitest'
import { readResults } from '../run/results.ts'

describe('conformance to the interface', () => {
  const results = readResults() ?? []
  const proofs = results.filter(({ outcome }) => outcome === 'passed')

  test('every row is proven by a passed test', () => {
    assert.deepEqual(unproven(proofs), [])
  })

  test('docs/conformance.md names only files that prove their rows (npm run docs:conformance)', ({ skip }) => {
    skip(
      results.some(({ outcome }) => outcome === 'failed'),
      'tests failed, whose proofs would be missing',
    )
    const page = readFileSync(join(import.meta.dirname, '../../docs/conformance.md'), 'utf8')
    assert.deepEqual(untrue(page, proofs), [])
  })
})
