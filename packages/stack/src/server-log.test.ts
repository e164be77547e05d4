import assert from 'node:assert/strict'
import {
  closeSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { lastCause } from './launch.ts'
import { openLog, readLog } from './server-log.ts'

test('a log can be rotated by truncation and by renaming', () => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-log-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'log')
  writeFileSync(file, 'of the run before\n')
  const log = openLog(file)
  onTestFinished(() => closeSync(log))
  writeSync(log, 'one\n')
  assert.deepEqual(readLog(file), ['one'])
  truncateSync(file)
  writeSync(log, 'two\n')
  assert.equal(readFileSync(file, 'latin1'), 'two\n')
  renameSync(file, `${file}.1`)
  assert.deepEqual(readLog(file), [])
  assert.equal(lastCause(file), '')
})
