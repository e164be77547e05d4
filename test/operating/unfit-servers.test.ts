import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '@parley/stack/free-ports'
import { locate } from '@parley/stack/locate'
import { listenOnLoopback } from '@parley/stack/loopback'
import { parleyFile } from '@parley/stack/parley-command'
import { tcpAnswer } from '@parley/stack/tcp-answer'
import { startS3 } from '@parley/stack/test-s3'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, startPlatform } from '../platform.ts'

const services = ['api-gateway', 'realtime', 'push', 'stats'] as const
type Service = (typeof services)[number]

describe('a service exits with one sentence, and so does `parley migrate`', () => {
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
  /** All services connect by the same code, so most refusals are tried on one. */
  async function refusedBy(sentence: RegExp, env: NodeJS.ProcessEnv, by: readonly Service[] = services): Promise<void> {
    const ofService = new RegExp(`stopped with exit code 1: ${sentence.source}`)
    for (const service of by) await assert.rejects(platform.start(service, env), ofService, service)
    await assert.rejects(migrate(env), { code: 1, message: sentence })
  }
  const migrate = (env: NodeJS.ProcessEnv) =>
    promisify(execFile)(process.execPath, [parleyFile, 'migrate'], {
      env: { ...process.env, PARLEY_MONGO_URL: platform.servers.mongoUrl, ...env },
    })

  test('on a standalone MongoDB, for any form of its URL', async () => {
    const args = (port: number) => ['--port', `${port}`, '--bind_ip', '127.0.0.1', '--dbpath', dir, '--nounixsocket']
    const [port = 0] = await freePorts(1)
    const place = await locate('mongo', { ...process.env, PARLEY_SERVERS: 'path,wheels' }, () => undefined)
    started.push(spawn(place.way === 'program' ? place.program : '', args(port), { stdio: 'ignore' }))
    const mongod = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`)
    await mongod.connect()
    await mongod.close()
    const standalone = /MongoDB: the server is standalone, .*--replSet/
    for (const query of ['', '?replicaSet=parley', '?directConnection=true']) {
      const url = `mongodb://127.0.0.1:${port}/parley${query}`
      await refusedBy(standalone, { PARLEY_MONGO_URL: url }, query === '' ? services : ['stats'])
    }
  })

  test('on a MongoDB without a journal', async () => {
    // Later versions have no such engine but that of MongoDB Enterprise.
    const place = await locate('mongo', { ...process.env, PARLEY_SERVERS: 'wheels' }, () => undefined)
    const [port = 0] = await freePorts(1)
    const data = mkdtempSync(join(dir, 'memory-'))
    const args = ['--port', `${port}`, '--dbpath', data, '--replSet', 'memory', '--storageEngine', 'ephemeralForTest']
    const program = place.way === 'program' ? place.program : ''
    started.push(spawn(program, [...args, '--bind_ip', '127.0.0.1', '--nounixsocket'], { stdio: 'ignore' }))
    const mongod = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`)
    await mongod.connect()
    const members = [{ _id: 0, host: `127.0.0.1:${port}` }]
    const replSetInitiate = { _id: 'memory', writeConcernMajorityJournalDefault: false, members }
    await mongod.db('admin').command({ replSetInitiate })
    await eventually('it is the primary', async () => {
      return (await mongod.db('admin').command({ hello: 1 }))['isWritablePrimary'] === true
    })
    await mongod.close()
    const env = { PARLEY_MONGO_URL: `mongodb://127.0.0.1:${port}/parley` }
    await refusedBy(/MongoDB: the server has no journal, .*: use the storage engine wiredTiger/, env, ['api-gateway'])
  })

  test('on a NATS without JetStream', async () => {
    const port = await run('nats', (at) => ['--addr', '127.0.0.1', '--port', `${at}`], 'INFO ')
    const env = { PARLEY_NATS_URL: `nats://127.0.0.1:${port}` }
    await refusedBy(/NATS: the server has no JetStream.*--jetstream/, env)
  })

  test('on another server at the place of NATS or Redis, naming the setting', async () => {
    const web = createHttpServer()
    const port = await listenOnLoopback(web)
    const mongo = new URL(platform.servers.mongoUrl).port
    const nats = new URL(platform.servers.natsUrl).port
    for (const [variable, scheme, other, sentence] of [
      ['NATS', 'nats', port, /NATS: 127.0.0.1:\d+ is not a NATS server: it answers "HTTP\/1.1 400 Bad Request" /],
      ['NATS', 'nats', mongo, /NATS: 127.0.0.1:\d+ is not a NATS server: it closes the connection /],
      ['REDIS', 'redis', port, /Redis: the server does not speak Redis' protocol, or needs TLS /],
      ['REDIS', 'redis', mongo, /Redis: the server does not speak Redis' protocol, or needs TLS /],
      ['REDIS', 'redis', nats, /Redis: the server does not speak Redis' protocol, or needs TLS /],
    ] as const) {
      const env = { [`PARLEY_${variable}_URL`]: `${scheme}://127.0.0.1:${other}` }
      await refusedBy(new RegExp(`${sentence.source}\\(PARLEY_${variable}_URL\\)`), env, [])
    }
    web.close()
  })

  test('on a folder for files that cannot be written, naming the setting', async () => {
    for (const service of ['api-gateway', 'stats'] as const) {
      const refused = platform.start(service, { PARLEY_FILES_FOLDER: '/proc/none' })
      await assert.rejects(refused, /exit code 1: files: no folder can be created in \/proc \(PARLEY_FILES_FOLDER\)/)
    }
  })

  test('on a bucket that its store refuses, naming the setting, but not on a store that is away', async () => {
    const s3 = await startS3(mkdtempSync(join(dir, 's3-')))
    const good = {
      PARLEY_FILES_S3_BUCKET: s3.bucket,
      PARLEY_FILES_S3_ENDPOINT: s3.endpoint,
      PARLEY_FILES_S3_PATH_STYLE: 'true',
      PARLEY_FILES_S3_ACCESS_KEY_ID: s3.accessKeyId,
      PARLEY_FILES_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    }
    try {
      for (const [service, wrong, sentence] of [
        ['api-gateway', { PARLEY_FILES_S3_BUCKET: 'other' }, 'bucket other: NoSuchBucket: .*'],
        ['stats', { PARLEY_FILES_S3_SECRET_ACCESS_KEY: 'x' }, 'bucket parley-files: SignatureDoesNotMatch: .*'],
      ] as const) {
        const refused = new RegExp(`exit code 1: files: the store refuses the ${sentence}\\(PARLEY_FILES_S3_BUCKET\\)`)
        await assert.rejects(platform.start(service, { ...good, ...wrong }), refused)
      }
      for (const more of [{}, { PARLEY_FILES_S3_ENDPOINT: 'http://127.0.0.1:1' }]) {
        const gateway = await platform.start('api-gateway', { ...good, ...more })
        await gateway.stop()
      }
    } finally {
      await s3.stop()
    }
  })

  test('on a part of the credentials of a push network, naming the setting', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = { PARLEY_PUSH_APNS_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    for (const [env, sentence] of [
      [key, 'PARLEY_PUSH_APNS_KEY needs PARLEY_PUSH_APNS_KEY_ID'],
      [{ PARLEY_PUSH_HMS_APP_ID: '1' }, 'PARLEY_PUSH_HMS_APP_ID and PARLEY_PUSH_HMS_APP_SECRET belong together'],
    ] as const) {
      await assert.rejects(platform.start('push', env), new RegExp(`exit code 1: ${sentence}`))
    }
  })

  test('on a port in use, naming the settings', async () => {
    const taken = createServer()
    const port = `${await listenOnLoopback(taken)}`
    const canary = {
      PARLEY_STATS_CANARY_URL: 'http://127.0.0.1:1',
      PARLEY_STATS_CANARY_API_KEY: 'x',
      PARLEY_STATS_CANARY_CLIENT_KEY: 'x',
      PARLEY_STATS_CANARY_CALLBACK_URL: `http://127.0.0.1:${port}`,
    }
    for (const [service, env, settings] of [
      ['api-gateway', { PARLEY_GATEWAY_PORT: port }, 'PARLEY_GATEWAY_HOST, PARLEY_GATEWAY_PORT'],
      ['realtime', { PARLEY_REALTIME_PORT: port }, 'PARLEY_REALTIME_HOST, PARLEY_REALTIME_PORT'],
      ['push', { PARLEY_INTERNAL_PORT: port }, 'PARLEY_INTERNAL_HOST, PARLEY_INTERNAL_PORT'],
      ['stats', canary, 'PARLEY_STATS_CANARY_CALLBACK_URL, PARLEY_STATS_CANARY_CALLBACK_HOST'],
    ] as const) {
      const sentence = new RegExp(`stopped with exit code 1: .*EADDRINUSE.*:${port} \\(${settings}\\) \\(log: `)
      await assert.rejects(platform.start(service, env), sentence)
    }
    taken.close()
  })

  for (const { name, by, url, reads, plays, sentence } of [
    {
      name: 'MONGO',
      by: 'realtime',
      url: (port: number) => `mongodb://127.0.0.1:${port}/parley?directConnection=true`,
      // In BSON, the text is between its length and a NUL.
      reads: /(?<=version\0.{4})\d(?=\.\d+\.\d+\0)/gs,
      plays: () => '5',
      sentence: /MongoDB: the server has version 5\.\S+: Parley needs 6\.0 or newer/,
    },
    {
      name: 'NATS',
      by: 'push',
      url: (port: number, { username, password }: URL) => `nats://${username}:${password}@127.0.0.1:${port}`,
      reads: /(?<="version":")[^"]+/g,
      plays: () => '2.9.25',
      sentence: /NATS: the server has version 2\.9\.25: Parley needs 2\.10 or newer/,
    },
    {
      name: 'REDIS',
      by: 'api-gateway',
      url: (port: number, { pathname }: URL) => `redis://127.0.0.1:${port}${pathname}`,
      reads: /(?<=redis_version:)\d/g,
      plays: () => '5',
      sentence: /Redis: the server has version 5\.\S+: Parley needs 6\.2 or newer/,
    },
    {
      name: 'REDIS',
      by: 'stats',
      url: (port: number, { pathname }: URL) => `redis://127.0.0.1:${port}${pathname}`,
      reads: /(?<=maxmemory:)0|(?<=maxmemory_policy:)noeviction/g,
      plays: (text: string) => (text === '0' ? '9' : 'evicts-any'),
      sentence: /Redis: the server evicts keys \(maxmemory-policy evicts-any\): set noeviction/,
    },
  ] as const) {
    test(`on a ${name} for which ${sentence} holds, by a proxy in front of the real one`, async () => {
      const { mongoUrl, natsUrl, redisUrl } = platform.servers
      const real = new URL({ MONGO: mongoUrl, NATS: natsUrl, REDIS: redisUrl }[name] ?? '')
      const proxy = createServer((client) => {
        const server = connect(Number(real.port), '127.0.0.1')
        client.pipe(server)
        server.on('data', (data) => {
          // Keep the length, since BSON and RESP count bytes.
          client.write(
            Buffer.from(
              data.toString('latin1').replace(reads, (text) => plays(text)),
              'latin1',
            ),
          )
        })
        for (const [one, other] of [[client, server] as const, [server, client] as const]) {
          one.on('error', () => other.destroy())
          one.on('close', () => other.destroy())
        }
      })
      const port = await listenOnLoopback(proxy)
      await refusedBy(sentence, { [`PARLEY_${name}_URL`]: url(port, real) }, [by]).finally(() => proxy.close())
    })
  }
})
