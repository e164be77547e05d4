import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { conformancePage, unproven } from '@parley/conformance/page'
import { describe, test } from 'vitest'
import { readResults } from '../run/results.ts'

describe('conformance to the interface', () => {
  const results = readResults() ?? []
  const proofs = results.filter(({ outcome }) => outcome === 'passed')

  test('every row has a test that proves it and passed', () => {
    assert.deepEqual(unproven(proofs), [])
  })

  test('docs/conformance.md is up to date (npm run docs:conformance writes it)', ({ skip }) => {
    skip(
      results.some(({ outcome }) => outcome === 'failed'),
      'tests failed, whose proofs the page would lack',
    )
    const page = readFileSync(join(import.meta.dirname, '../../docs/conformance.md'), 'utf8')
    assert.equal(page, conformancePage(proofs))
  })
})
