import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { parleyFile } from '@parley/stack/parley-command'
import type { Command } from 'commander'
import { describe, test } from 'vitest'
import { parleyCommand } from './parley-command.ts'

describe('every command of parley', () => {
  test('has a description and a usage, at any depth', () => {
    const look = (command: Command, path: string): number => {
      assert.ok(command.description(), `${path} has a description`)
      assert.ok(command.helpInformation().startsWith(`Usage: ${path} `))
      return command.commands.reduce((count, one) => count + look(one, `${path} ${one.name()}`), 1)
    }
    assert.ok(look(parleyCommand(), 'parley') > 20)
  })

  test('prints both with --help, and changes nothing', async () => {
    const args = [parleyFile, 'app', 'delete', '--help']
    const { stdout } = await promisify(execFile)(process.execPath, args)
    assert.match(stdout, /^Usage: parley app delete /)
  })

  test('refuses unusable app IDs and expiries before it connects', async () => {
    const run = (...args: string[]) => parleyCommand().parseAsync(args, { from: 'user' })
    for (const id of ['', '..', 'a\tb', 'x'.repeat(129)]) {
      await assert.rejects(run('app', 'create', id), /^Error: <appID>: /, id)
    }
    for (const time of ['tomorrow', '2020-01-01T00:00:00Z', '2027-02-30']) {
      await assert.rejects(
        run('key', 'add', 'demo', '--name', 'x', '--expires', time),
        /Error: --expires: expected/,
        time,
      )
    }
  })
})
