import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { connectDb } from '@parley/db/connect'
import { freePorts } from '@parley/stack/free-ports'
import { listenOnLoopback } from '@parley/stack/loopback'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import type { Command } from 'commander'
import { describe, onTestFinished, test, vi } from 'vitest'
import { startTestGateway } from '../test-gateway.ts'
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

  test('names the server that it cannot reach', async () => {
    const [port = 0] = await freePorts(1)
    const env = { ...process.env, PARLEY_MONGO_URL: `mongodb://127.0.0.1:${port}/parley?serverSelectionTimeoutMS=100` }
    for (const command of [
      ['app', 'create', 'x'],
      ['backup', '/tmp'],
    ]) {
      const running = promisify(execFile)(process.execPath, [parleyFile, ...command], { env })
      await assert.rejects(running, { code: 1, stderr: /^parley: MongoDB: connect ECONNREFUSED/ })
    }
  })

  test('ends although a server hangs', async () => {
    const hanging = createServer()
    const port = await listenOnLoopback(hanging)
    onTestFinished(() => void hanging.close())
    const mongoUrl = withDatabase((await testServers()).mongoUrl, 'never_migrated')
    const env = { ...process.env, PARLEY_MONGO_URL: mongoUrl, PARLEY_NATS_URL: `nats://127.0.0.1:${port}` }
    const running = promisify(execFile)(process.execPath, [parleyFile, 'migrate', '--dry-run'], { env })
    await assert.rejects(running, { code: 2, stdout: /^NATS is away: not checked\n/ })
  })

  test('fails if its output is lost', async () => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const child = spawn(process.execPath, [parleyFile, 'size', '--users', '5'], { stdio: ['ignore', full, 'pipe'] })
    assert.ok(child.stderr)
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.deepEqual([code, said], [1, 'parley: ENOSPC: no space left on device, write\n'])
    const unread = spawn(process.execPath, [parleyFile, 'size', '--users', '5'])
    unread.stdout.destroy()
    const [silent, [failed]] = await Promise.all([text(unread.stderr), once(unread, 'close')])
    assert.deepEqual([failed, silent], [1, ''])
  })

  test('does all of its work although its output is lost', async () => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const { mongoUrl } = await testServers()
    for (const [output, said] of [
      [full, 'parley: ENOSPC: no space left on device, write\n'],
      ['pipe', ''],
    ] as const) {
      const env = {
        ...commandEnv,
        PARLEY_MONGO_URL: withDatabase(mongoUrl, `unread_${randomUUID().replaceAll('-', '')}`),
      }
      const child = spawn(process.execPath, [parleyFile, 'migrate'], { env, stdio: ['ignore', output, 'pipe'] })
      child.stdout?.destroy()
      assert.ok(child.stderr)
      const [error, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
      assert.deepEqual([code, error], [1, said])
      const again = await promisify(execFile)(process.execPath, [parleyFile, 'migrate', '--dry-run'], { env })
      assert.equal(again.stdout, 'nothing to do\n')
      const db = await connectDb(env.PARLEY_MONGO_URL)
      await db.mongo.dropDatabase()
      await db.client.close()
    }
  })

  const run = (...args: string[]) => parleyCommand().parseAsync(args, { from: 'user' })

  test('refuses unusable app IDs and expiries before it connects', async () => {
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

  test('refuses unknown apps and operators, and names an invalid option', async () => {
    const gateway = await startTestGateway()
    onTestFinished(() => gateway.stop())
    const { mongoUrl } = await testServers()
    vi.stubEnv('PARLEY_MONGO_URL', withDatabase(mongoUrl, gateway.chat.db.mongo.databaseName))
    onTestFinished(() => void vi.unstubAllEnvs())
    const newKey = ['key', 'add', gateway.app, '--name', 'x']
    const newOperator = ['operator', 'add', 'olivia@example.com']
    for (const [args, error] of [
      [['key', 'list', 'none'], 'there is no app "none"'],
      [['key', 'add', 'none', '--name', 'x'], 'there is no app "none"'],
      [['key', 'revoke', 'none', 'x'], 'there is no app "none"'],
      [[...newKey, '--scopes', 'users'], '--scopes: '],
      [[...newKey, '--expires', 'tomorrow'], '--expires: '],
      [[...newKey, '--addresses', '10.0.0.1'], '--addresses: '],
      [[...newKey, '--rate', 'x'], '--rate: '],
      [[...newOperator, '--app', gateway.app, 'nope'], 'there is no app "nope"'],
      [['operator', 'remove', 'olivia@example.com'], 'there is no operator "olivia@example.com"'],
      [['operator', 'add', 'olivia'], '<email>: '],
      [[...newOperator, '--role', 'king'], '--role: '],
    ] as const) {
      const end = error.endsWith(': ') ? error.length : undefined
      await assert.rejects(run(...args), ({ message }: Error) => message.slice(0, end) === error, args.join(' '))
    }
    assert.equal((await gateway.admin('GET', '/admin/keys')).body.result.data.length, 2)
  })

  test('names a place in which the system creates no folders', async () => {
    const gateway = await startTestGateway()
    onTestFinished(() => gateway.stop())
    const { mongoUrl } = await testServers()
    vi.stubEnv('PARLEY_MONGO_URL', withDatabase(mongoUrl, gateway.chat.db.mongo.databaseName))
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const args of [
      ['export', '--app', gateway.app, '--out', '/proc/parley/exports'],
      ['backup', '/proc/parley'],
      ['convert', 'slack', import.meta.dirname, '/proc/parley'],
    ]) {
      await assert.rejects(run(...args), { message: 'no folder can be created in /proc' }, args.join(' '))
    }
  })
})
