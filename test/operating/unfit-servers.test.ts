import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '@parley/stack/free-ports'
import { locate } from '@parley/stack/locate'
import { tcpAnswer } from '@parley/stack/tcp-answer'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { parleyFile } from '../parley-command.ts'
import { eventually, type Platform, startPlatform } from '../platform.ts'

const services = ['api-gateway', 'realtime', 'push', 'stats'] as const

describe('a start that cannot work ends with one sentence', () => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-unfit-'))
  const started: ChildProcess[] = []
  let platform: Platform
  beforeAll(async () => {
    platform = await startPlatform()
  })
  afterAll(async () => {
    for (const child of started) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    await platform.stop()
    rmSync(dir, { recursive: true })
  })

  async function run(name: 'mongo' | 'nats', args: (port: number) => string[], hello: string): Promise<number> {
    const place = await locate(name, { ...process.env, PARLEY_SERVERS: 'path,wheels' }, () => undefined)
    assert.equal(place.way, 'program')
    const [port = 0] = await freePorts(1)
    started.push(spawn(place.way === 'program' ? place.program : '', args(port), { stdio: 'ignore' }))
    await eventually(`${name} listens`, () =>
      tcpAnswer(port, '', hello).then(
        () => true,
        () => false,
      ),
    )
    return port
  }
  async function refusedBy(sentence: RegExp, env: NodeJS.ProcessEnv): Promise<void> {
    for (const service of services) await assert.rejects(platform.start(service, env), sentence, service)
  }
  const parley = (mongoUrl: string) =>
    promisify(execFile)(process.execPath, [parleyFile, 'migrate'], {
      env: { ...process.env, PARLEY_MONGO_URL: mongoUrl },
    })

  test('on a standalone MongoDB, however the URL names it, and `parley migrate` too', async () => {
    const args = (port: number) => ['--port', `${port}`, '--bind_ip', '127.0.0.1', '--dbpath', dir, '--nounixsocket']
    const [port = 0] = await freePorts(1)
    const place = await locate('mongo', { ...process.env, PARLEY_SERVERS: 'path,wheels' }, () => undefined)
    started.push(spawn(place.way === 'program' ? place.program : '', args(port), { stdio: 'ignore' }))
    const standalone = /stopped with exit code 1: MongoDB: the server is standalone, .*--replSet/
    for (const query of ['', '?replicaSet=parley', '?directConnection=true']) {
      const url = `mongodb://127.0.0.1:${port}/parley${query}`
      await eventually('mongod responds', () =>
        parley(url).then(
          () => assert.fail('it migrated'),
          (error: { code: number; stderr: string }) =>
            error.code === 1 && /the server is standalone/.test(error.stderr),
        ),
      )
      await refusedBy(standalone, { PARLEY_MONGO_URL: url })
    }
  })

  test('on a NATS without JetStream', async () => {
    const port = await run('nats', (at) => ['--addr', '127.0.0.1', '--port', `${at}`], 'INFO ')
    const env = { PARLEY_NATS_URL: `nats://127.0.0.1:${port}` }
    await refusedBy(/stopped with exit code 1: NATS: the server has no JetStream.*--jetstream/, env)
  })
})
