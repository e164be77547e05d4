import assert from 'node:assert/strict'
import { test } from 'vitest'
import { files, isTest, read } from './source-files.ts'

/** Measure the process's own clock. */
const measuring = new Set(['packages/db/src/server/measure-clock.ts', 'packages/wiring/src/watch-clock.ts'])

test('services take the time from @parley/async/clock, so that a wrong clock of one process does not affect others', () => {
  const folders = /^(packages\/(bus|chat|db|files|presence|wiring)|services\/[\w-]+)\/src\//
  const ours = files.filter((file) => folders.test(file) && !isTest(file) && !measuring.has(file))
  assert.ok(ours.length > 300)
  assert.deepEqual(
    ours.filter((file) => /\bDate\.now\b|new Date\(\)/.test(read(file))),
    [],
  )
})
