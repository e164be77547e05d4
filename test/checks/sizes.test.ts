import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { describe, test } from 'vitest'
import { files, isTest, read } from './source-files.ts'

/** What no single file shows; the longest file and function are the linter's (.oxlintrc.json). */
const lines = files
  .filter((file) => !isTest(file))
  .map((file) => read(file).split('\n').length - 1)
  .toSorted((a, b) => a - b)
const at = (share: number) => lines[Math.floor(lines.length * share)] ?? 0

describe('source files are small', () => {
  test('half of them have at most 60 lines', () => {
    assert.ok(at(0.5) <= 60, `the median is ${at(0.5)}`)
  })

  test('95 of 100 have less than 160 lines', () => {
    assert.ok(at(0.95) < 160, `the 95th percentile is ${at(0.95)}`)
  })

  test('no folder has more than 40 files', () => {
    const folders = Map.groupBy(files, (file) => dirname(file))
    const full = [...folders].filter(([, inside]) => inside.length > 40).map(([folder]) => folder)
    assert.deepEqual(full, [])
  })

  test('they were counted', () => {
    assert.ok(lines.length > 300)
    assert.ok((lines[0] ?? 0) > 0)
  })
})
