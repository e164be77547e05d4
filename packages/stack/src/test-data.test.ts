import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { afterAll, describe, test } from 'vitest'
import { makeTestDataDir } from './test-data.ts'

describe('the data of test servers', () => {
  const made: string[] = []
  const make = () => {
    const dir = makeTestDataDir()
    made.push(dir)
    return dir
  }
  afterAll(() => {
    for (const dir of made) rmSync(dir, { recursive: true, force: true })
  })

  test('is kept while its process runs; data in memory of a killed process is removed by the next one', ({ skip }) => {
    const ours = make()
    if (!ours.startsWith('/dev/shm/')) skip('not enough memory')
    const { pid } = spawnSync(process.execPath, ['--eval', ''])
    const left = mkdtempSync(ours.replace(`-${process.pid}-`, `-${pid}-`))
    made.push(left)
    make()
    assert.deepEqual([existsSync(ours), existsSync(left)], [true, false])
  })
})
