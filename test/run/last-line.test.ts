import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const flaky = `let tries = 0; test('fails once', () => { if (tries++ === 0) throw new Error('too early') })`
const broken = `test('fails', () => { throw new Error('on purpose') }); test.skip('is skipped', () => {})`
const slowest = 'Slowest: one.spec.js'

describe('the end of a run', () => {
  let folder: string
  beforeAll(() => {
    mkdirSync(join(root, '.parley'), { recursive: true })
    folder = mkdtempSync(join(root, '.parley/reporter-'))
    writeFileSync(join(folder, 'vitest.config.js'), 'export default { test: { pool: "forks" } }')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Runs a test file; returns the exit code and the summary lines, without times. */
  function run(source: string): (string | number | null)[] {
    const file = 'one.spec.js'
    writeFileSync(join(folder, file), `import { beforeAll, describe, test } from 'vitest'\n${source}`)
    const reporter = join(import.meta.dirname, 'last-line.ts')
    const args = ['run', '--root', folder, '--reporter', reporter, '--retry', '1']
    const { VITEST: _vitest, NODE_V8_COVERAGE: _coverage, ...env } = process.env
    const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/vitest'), args, { env, encoding: 'utf8' })
    const lines = stdout.split('\n').filter((line) => /^(Slowest|FLAKY|FAILED|\d+ passed)/.test(line))
    return [status, ...lines.map((line) => line.replace(/ \d+ s$/, ''))]
  }

  test('a test that passes when retried is FLAKY, and the run passes', () => {
    assert.deepEqual(run(flaky), [0, slowest, 'FLAKY one.spec.js > fails once: too early', '1 passed, 0 failed'])
  })

  test('a failed comparison shows the difference', () => {
    const source = `import assert from 'node:assert/strict'; test('compares', () => assert.deepEqual({ a: 1 }, { a: 2 }))`
    assert.equal(
      run(source)[2],
      'FAILED one.spec.js > compares: Expected values to be strictly deep-equal: + a: 1 - a: 2',
    )
  })

  test('a failed property shows its seed and its cause', () => {
    const message = '\'Property failed after 8 tests\\n{ seed: 1, path: "7" }\\nCounterexample: [0]\''
    const source = `test('holds', () => { throw new Error(${message}, { cause: new Error('1 is not 2') }) })`
    assert.equal(
      run(source)[2],
      'FAILED one.spec.js > holds: Property failed after 8 tests { seed: 1, path: "7" } (1 is not 2)',
    )
  })

  test('a failed test, a failed hook, a file without tests, and a killed process fail the run', () => {
    assert.deepEqual(run(broken), [
      1,
      slowest,
      'FAILED one.spec.js > fails: on purpose',
      '0 passed, 1 failed, 1 skipped',
    ])
    const hook = `describe('a suite', () => { beforeAll(() => { throw new Error('no') }); test('waits', () => {}) })`
    assert.deepEqual(run(hook), [1, slowest, 'FAILED one.spec.js: no', '0 passed, 1 failed, 1 skipped'])
    assert.deepEqual(run('')[0], 1)
    const killed = run(`test('passes', () => {}); test('ends', () => { process.kill(process.pid, 'SIGKILL') })`)
    assert.equal(killed[0], 1)
    assert.match(String(killed.at(-1)), /^\d+ passed, [1-9]\d* failed/)
  })

  test('a run in which no test ran fails', () => {
    assert.deepEqual(run(`test.skip('is skipped', () => {})`), [1, slowest, '0 passed, 1 failed, 1 skipped'])
  })
})
