import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'

const main = join(import.meta.dirname, 'main.ts')

/** Runs the fixture as `npm test` runs test files. */
function run(fixture: string, ...options: string[]): Promise<{ code: number; lastLine: string; reasons: string[] }> {
  const args = [main, '--root', join(import.meta.dirname, 'fixtures'), fixture, ...options]
  const { VITEST: _vitest, NODE_V8_COVERAGE: _coverage, ...inherited } = process.env
  const env = { ...inherited, PARLEY_FIXTURE_MARK: join(mkdtempSync(join(tmpdir(), 'parley-')), 'mark') }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, stdout) => {
      const lines = stdout.trimEnd().split('\n')
      const reasons = lines.filter((line) => /^(FAILED|FLAKY) /.test(line))
      resolve({ code: error ? Number(error.code) : 0, lastLine: lines.at(-1) ?? '', reasons })
    })
  })
}

describe('the last line and the exit code of a run', () => {
  const runs: [fixture: string, what: string, code: number, lastLine: string][] = [
    ['passes', 'tests pass, one is skipped', 0, '1 passed, 0 failed, 1 skipped'],
    ['fails', 'a test fails, also when its file is run again', 1, '1 passed, 1 failed'],
    ['flaky', 'a test passes when its file is run again', 0, '2 passed, 0 failed'],
    ['hook-once', 'a hook passes when its file is run again', 0, '1 passed, 0 failed'],
    ['ends-once', 'the process of a file is killed, and not when it is run again', 0, '1 passed, 0 failed'],
    ['unhandled-once', 'a rejection is not there when the file is run again', 0, '1 passed, 0 failed'],
    ['hook-throws', 'a hook fails before the tests', 1, '0 passed, 1 failed, 1 skipped'],
    ['unhandled', 'a rejection is handled by nobody', 1, '1 passed, 1 failed'],
    ['no-test', 'a file has no test', 1, '0 passed, 1 failed'],
    ['unreadable', 'a file fails when it is read', 1, '0 passed, 1 failed'],
    ['only-skipped', 'nothing runs', 1, '0 passed, 0 failed, 1 skipped'],
    ['ends-itself', 'the process of a file is killed', 1, '0 passed, 1 failed'],
    ['nowhere', 'no file matches', 1, '0 passed, 0 failed'],
  ]
  for (const [fixture, what, code, lastLine] of runs) {
    test(`where ${what}: ${lastLine}`, async () => {
      const { reasons: _reasons, ...end } = await run(`${fixture}.fixture.ts`)
      assert.deepEqual(end, { code, lastLine })
    })
  }

  test('before it, what failed and why', async () => {
    const { reasons } = await run('fails.fixture.ts')
    assert.deepEqual(reasons, ['FAILED fails.fixture.ts > fails: on purpose'])
  })

  test('before it, what passed only when its file was run again', async () => {
    const reasons = async (fixture: string) => (await run(`${fixture}.fixture.ts`)).reasons
    assert.deepEqual(await reasons('flaky'), ['FLAKY flaky.fixture.ts > fails the first time: on purpose'])
    assert.deepEqual(await reasons('hook-once'), [
      'FLAKY hook-once.fixture.ts > a suite whose hook fails the first time: on purpose',
    ])
    assert.deepEqual(await reasons('unhandled-once'), ['FLAKY by an error that nothing handles: on purpose'])
  })

  test('with --retry=0 nothing is run again', async () => {
    const { code, lastLine } = await run('flaky.fixture.ts', '--retry=0')
    assert.deepEqual({ code, lastLine }, { code: 1, lastLine: '1 passed, 1 failed' })
  })
})
