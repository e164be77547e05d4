import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commandEnv } from '@parley/stack/test-parley-command'
import { describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
/** Without pre-scripts, to which npm passes no arguments. */
const commands = Object.keys(scripts).filter((name) => !(name.startsWith('pre') && name.slice(3) in scripts))
/** Long enough for a busy machine, but not for a command that starts servers instead of printing its usage. */
const timeout = 60_000

/** The command's output. Fails unless it exits with code 0. */
async function helpOf(name: string): Promise<string> {
  const env = {
    ...commandEnv,
    PATH: `${join(root, 'node_modules/.bin')}:${commandEnv.PATH}`,
    HOME: process.env['HOME'],
  }
  const line = `${scripts[name]} --help`
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: root, env, timeout })
  return stdout
}

describe('every npm command prints its usage with --help', () => {
  for (const name of commands) {
    test(`npm run ${name} -- --help`, async () => assert.match(await helpOf(name), /usage|common commands/i))
  }
})

describe('npm start -- --help', () => {
  test('works without packages, and installs none', async () => {
    const clone = mkdtempSync(join(tmpdir(), 'parley-help-'))
    try {
      for (const file of ['package.json', 'local/start', 'local/start-help.txt'])
        cpSync(join(root, file), join(clone, file))
      const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
      const { stdout } = await promisify(execFile)('npm', ['start', '--', '--help'], { cwd: clone, env, timeout })
      assert.match(stdout, /Usage: npm start/)
      assert.equal(existsSync(join(clone, 'node_modules')), false)
    } finally {
      rmSync(clone, { recursive: true })
    }
  })

  test('lists the actual options', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['local/src/start.ts', '--help'], {
      cwd: root,
      timeout,
    })
    // Update it by: node local/src/start.ts --help > local/start-help.txt
    assert.equal(readFileSync(join(root, 'local/start-help.txt'), 'utf8'), stdout)
  })
})
