import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commandEnv } from '@parley/stack/parley-command'
import { beforeAll, describe, test } from 'vitest'
import type { PrintedHelp } from './print-helps.ts'

const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
/** Without pre-scripts, to which npm passes no arguments. */
const commands = Object.keys(scripts).filter((name) => !(name.startsWith('pre') && name.slice(3) in scripts))
/** Long enough for a busy machine, but not for a command that starts servers instead of printing its usage. */
const timeout = 60_000

const env = {
  ...commandEnv,
  PATH: `${join(root, 'node_modules/.bin')}:${commandEnv.PATH}`,
  HOME: process.env['HOME'],
}
const run = promisify(execFile)

/** The TypeScript files that a command runs with Node; undefined if it runs anything else, or a file that others import. */
function filesOf(name: string): string[] | undefined {
  const files = scripts[name]
    ?.split(' && ')
    .map((line) => join(root, /^(?:exec )?node (\S+\.ts)$/.exec(line)?.[1] ?? ''))
  const isProgram = (file: string) => file.endsWith('.ts') && !readFileSync(file, 'utf8').includes('import.meta.main')
  return files?.every(isProgram) ? files : undefined
}

const startFile = join(root, 'local/src/start.ts')
const helps = new Map<string, PrintedHelp>()
beforeAll(async () => {
  const files = new Set([startFile, ...commands.flatMap((name) => filesOf(name) ?? [])])
  const printer = join(import.meta.dirname, 'print-helps.ts')
  const { stdout } = await run(process.execPath, [printer, ...files], { cwd: root, env, timeout })
  for (const line of stdout.trimEnd().split('\n')) {
    const help = JSON.parse(line) as PrintedHelp
    helps.set(help.file, help)
  }
})

describe('every npm command prints its usage with --help', () => {
  for (const name of commands) {
    test(`npm run ${name} -- --help`, async () => {
      for (const file of filesOf(name) ?? []) {
        assert.equal(helps.get(file)?.code, 0, file)
        assert.match(helps.get(file)?.text ?? '', /usage/i)
      }
      if (filesOf(name)) return
      const { stdout } = await run('sh', ['-c', `${scripts[name]} --help`], { cwd: root, env, timeout })
      assert.match(stdout, /usage|common commands/i)
    })
  }
})

describe('npm start -- --help', () => {
  test('works without packages, and installs none', async () => {
    const clone = mkdtempSync(join(tmpdir(), 'parley-help-'))
    try {
      for (const file of ['package.json', 'local/start', 'local/start-help.txt'])
        cpSync(join(root, file), join(clone, file))
      const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
      const { stdout } = await run('npm', ['start', '--', '--help'], { cwd: clone, env, timeout })
      assert.match(stdout, /Usage: npm start/)
      assert.equal(existsSync(join(clone, 'node_modules')), false)
    } finally {
      rmSync(clone, { recursive: true })
    }
  })

  test.each([
    ['ulimit -n 256', /needs 1,024 open files, and the limit is 256: raise it/],
    ['ulimit -v 8000000', /needs 64 GiB of address space, and the limit is 8000000 KiB: raise it/],
  ])('names the limit to raise: %s', async (limit, said) => {
    const starting = run('sh', ['-c', `${limit}; exec sh local/start`], { cwd: root, env, timeout })
    await assert.rejects(starting, ({ code, stderr }: { code: number; stderr: string }) => {
      assert.equal(code, 1)
      assert.match(stderr, said)
      return true
    })
  })

  test('lists the actual options', () => {
    // Update it by: node local/src/start.ts --help > local/start-help.txt
    assert.equal(readFileSync(join(root, 'local/start-help.txt'), 'utf8'), helps.get(startFile)?.text)
  })
})
