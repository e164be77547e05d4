import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { findSecrets } from '../operating/secrets-in-logs.ts'

/** Fewer lines mean that the logs were not found. */
const fewestLines = 500

test('no log of the whole run contains a key or token', () => {
  const { lines, found } = findSecrets(join(import.meta.dirname, '../../.parley/test-logs'))
  assert.deepEqual(found, [])
  assert.ok(lines >= fewestLines, `only ${lines} lines of logs`)
})
