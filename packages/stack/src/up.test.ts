import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { StackError } from './stack-error.ts'
import { tcpAnswer } from './tcp-answer.ts'
import { type Servers, startServers } from './up.ts'
import { programFromWheels } from './wheels.ts'

let home: string

/** The environment without server URLs, so that each test decides where servers come from. */
const { PARLEY_MONGO_URL: _m, PARLEY_NATS_URL: _n, PARLEY_REDIS_URL: _r, ...inherited } = process.env
const env = { ...inherited, PARLEY_SERVERS: 'path,wheels' }

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-stack-test-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

describe('the three servers', () => {
  let servers: Servers
  beforeAll(async () => {
    servers = await startServers({ env })
  })
  afterAll(() => servers.stop())

  test('MongoDB is a replica set, and keeps a majority write and its port across kill -9', async () => {
    const client = new MongoClient(servers.mongoUrl)
    const write = { writeConcern: { w: 'majority', j: true } } as const
    await client.db().collection('kept').insertOne({ word: 'hello' }, write)
    const url = servers.mongoUrl
    await servers.mongo.kill()
    assert.equal(servers.mongo.pid, undefined)
    await servers.mongo.restart()
    assert.equal(servers.mongoUrl, url)
    assert.equal((await client.db().collection('kept').findOne({}))?.word, 'hello')
    await client.close()
  })

  test('NATS and Redis come back on their ports after kill -9', async () => {
    for (const server of [servers.nats, servers.redis]) {
      await server.kill()
      await server.restart()
    }
    await tcpAnswer(Number(new URL(servers.natsUrl).port), '', 'INFO ')
    await tcpAnswer(Number(new URL(servers.redisUrl).port), 'PING\r\n', '+PONG')
  })

  test('a server that exits unexpectedly is reported, but a stopped one is not', async () => {
    const reports: string[] = []
    servers.nats.onExit((how) => reports.push(how))
    await servers.nats.kill()
    await servers.nats.restart()
    assert.deepEqual(reports, [])
    const ended = new Promise((resolve) => servers.nats.onExit(resolve))
    process.kill(servers.nats.pid ?? 0, 'SIGKILL')
    await ended
    assert.match(reports.join(), /^was ended by SIGKILL/)
    await servers.nats.restart()
  })
})

describe('where servers come from', () => {
  test('programs on the PATH, if they are recent enough', async () => {
    const bin = join(home, 'bin')
    await mkdir(bin)
    for (const [name, program] of [
      ['mongo', 'mongod'],
      ['nats', 'nats-server'],
      ['redis', 'redis-server'],
    ] as const) {
      await symlink(await programFromWheels(name, env, () => undefined), join(bin, program))
    }
    const lines: string[] = []
    const servers = await startServers({ env: { ...env, PATH: bin }, onProgress: (line) => lines.push(line) })
    await servers.stop()
    for (const program of ['mongod', 'nats-server', 'redis-server']) {
      assert.match(lines.join('\n'), new RegExp(`starting ${program} [\\d.]+ on the PATH`))
    }
  })

  test('URLs in the environment: those servers are neither started nor stopped', async () => {
    const theirs = await startServers({ env })
    const urls = {
      PARLEY_MONGO_URL: theirs.mongoUrl,
      PARLEY_NATS_URL: theirs.natsUrl,
      PARLEY_REDIS_URL: theirs.redisUrl,
    }
    const servers = await startServers({ env: { ...env, ...urls } })
    assert.equal(servers.mongoUrl, theirs.mongoUrl)
    await servers.stop()
    await tcpAnswer(Number(new URL(theirs.natsUrl).port), '', 'INFO ')
    await theirs.stop()
  })

  test('without python3 and alternatives, one sentence gives the remedy', async () => {
    const bare = { PATH: join(home, 'nothing'), XDG_CACHE_HOME: join(home, 'empty'), PARLEY_SERVERS: 'path,wheels' }
    await assert.rejects(startServers({ env: bare }), (error) => {
      assert.ok(error instanceof StackError)
      assert.match(error.message, /^python3 is missing.*apt install python3/)
      return true
    })
  })
})

describe('nothing is left', () => {
  test('kill -9 of the parent process ends all three servers', async () => {
    const code = `
      import { startServers } from ${JSON.stringify(import.meta.resolve('./up.ts'))}
      const { mongo, nats, redis } = await startServers({ dir: ${JSON.stringify(join(home, 'orphans'))} })
      console.log(JSON.stringify([mongo.pid, nats.pid, redis.pid]))
      setInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const pids: number[] = JSON.parse(await firstLine(parent))
    assert.equal(pids.filter(isRunning).length, 3)
    parent.kill('SIGKILL')
    await vi.waitUntil(() => !pids.some(isRunning), { timeout: 100_000 })
  })

  test('stop ends the servers', async () => {
    const servers = await startServers({ env })
    const pids = [servers.mongo.pid, servers.nats.pid, servers.redis.pid].map((pid) => pid ?? 0)
    await servers.stop()
    assert.ok(!pids.some(isRunning))
  })
})

async function firstLine(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout)
  const [line] = await once(createInterface(child.stdout), 'line')
  return String(line)
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}
