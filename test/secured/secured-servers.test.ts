import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectBus, pingBus } from '@parley/bus/connect'
import { checkStreams } from '@parley/bus/stream/check-stream'
import { startService } from '@parley/local/service-process'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { call, connectClient } from '../platform.ts'
import { type Authority, type Certificate, newAuthority } from './certificates.ts'
import { type NatsRights, type NatsUsers, newNatsUsers } from './nats-users.ts'
import { natsTls, type SecuredServer, startMongo, startNats, startRedis, user } from './servers.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** The permissions of the services' NATS user in docs/operations.md. */
function documentedRights(): NatsRights {
  const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  const listed = (name: string) =>
    JSON.parse(new RegExp(`${name}: (\\[[^\\]]*\\])`).exec(page)?.[1] ?? 'nothing') as string[]
  return { publish: listed('publish'), subscribe: listed('subscribe') }
}

describe('servers that require TLS, certificates and users', () => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-secured-'))
  let authority: Authority
  let client: Certificate
  let users: NatsUsers
  let mongo: SecuredServer
  let nats: SecuredServer
  let redis: SecuredServer
  let fromFiles: Record<string, string>

  /** Writes a secret with a trailing line break, like a mounted one. */
  const secretFile = (name: string, text: string) => {
    writeFileSync(join(dir, name), `${text}\n`)
    return join(dir, name)
  }
  beforeAll(async () => {
    authority = await newAuthority(dir, 'authority')
    client = await authority.issue('parley')
    users = await newNatsUsers(documentedRights())
    const place = { dir, authority }
    const configuration = users.configuration + (await natsTls(place))
    ;[mongo, nats, redis] = await Promise.all([startMongo(place), startNats(place, configuration), startRedis(place)])
    const ofServer = (name: string, url: string) => ({
      [`PARLEY_${name}_URL_FILE`]: secretFile(`${name}-url`, url),
      [`PARLEY_${name}_TLS_CA_FILE`]: authority.ca,
      [`PARLEY_${name}_TLS_CERT_FILE`]: client.cert,
      [`PARLEY_${name}_TLS_KEY_FILE`]: client.key,
    })
    fromFiles = {
      ...ofServer('MONGO', mongo.url),
      ...ofServer('NATS', nats.url),
      ...ofServer('REDIS', redis.url),
      PARLEY_NATS_CREDENTIALS_FILE: secretFile('nats.creds', users.credentials),
    }
  }, 180_000)
  afterAll(async () => {
    await Promise.all([mongo, nats, redis].map((started) => started?.server.stop()))
    rmSync(dir, { recursive: true, force: true })
  })

  const base = {
    ...commandEnv,
    PARLEY_INTERNAL_PORT: '0',
    PARLEY_GATEWAY_PORT: '0',
    PARLEY_REALTIME_PORT: '0',
  }
  const start = (service: string, env: Record<string, string>) => {
    const logFile = join(dir, `${service}-${randomUUID()}.log`)
    return startService({ service, name: service, logFile, env: { ...base, ...env } }, () => undefined)
  }
  const parley = (env: Record<string, string>, ...args: string[]) =>
    run(process.execPath, [parleyFile, ...args], { cwd: root, env: { ...base, ...env } })

  test('accept the parley command and all services with every secret from a file, and a message arrives', async () => {
    await parley(fromFiles, 'migrate')
    const { stdout } = await parley(fromFiles, 'app', 'create', 'secured')
    const [apiKey] = /ak_[\w-]+/.exec(stdout) ?? []
    assert.ok(apiKey, 'parley app create prints an API key')
    const services = await Promise.all(
      ['api-gateway', 'realtime', 'push', 'stats'].map((name) => start(name, fromFiles)),
    )
    try {
      for (const { name, ports } of services) {
        assert.equal((await fetch(`http://127.0.0.1:${ports['internal']}/readyz`)).status, 200, name)
      }
      const [gateway, realtime] = services.map(({ ports }) => `http://127.0.0.1:${ports['http']}`)
      const post = async (path: string, body: unknown) => {
        const { status, body: answer } = await call(gateway ?? '', 'POST', path, { 'im-api-key': apiKey }, body)
        assert.equal(status, 200, JSON.stringify(answer))
        return answer.result
      }
      const { token } = await post('/admin/clients', { _id: 'ann', issueAccessToken: true })
      await post('/rooms/', { _id: 'home', roomType: 'group', members: ['ann'] })
      const socket = await connectClient(realtime ?? '', String(token))
      const arrived = new Promise<{ message: string }>((resolve) => void socket.once('chat message', resolve))
      await post('/messages', { room: 'home', sender: 'ann', message: 'over TLS', messageType: 'text' })
      assert.equal((await arrived).message, 'over TLS')
      const { result } = await socket.emitWithAck('auth2', String(token), { since: 0 })
      const again = await socket.emitWithAck('auth2', String(token), { since: result.serverTimeMS })
      assert.equal(again.result.resumed, true, 'the node has the permission to resume')
      socket.disconnect()
      await parley(fromFiles, 'app', 'delete', 'secured', '--yes')
    } finally {
      await Promise.all(services.map((service) => service.stop()))
    }
  })

  const refusals: { title: string; change: () => Promise<Record<string, string>>; said: RegExp }[] = []
  for (const [name, title] of [
    ['MONGO', 'MongoDB'],
    ['NATS', 'NATS'],
    ['REDIS', 'Redis'],
  ] as const) {
    refusals.push(
      {
        title: `${title}: we refuse a certificate of another authority`,
        change: async () => ({ [`PARLEY_${name}_TLS_CA_FILE`]: (await newAuthority(dir, `other-${name}`)).ca }),
        said: new RegExp(`${title}: .*certificate`),
      },
      {
        title: `${title}: the server refuses us without a client certificate`,
        change: async () => ({ [`PARLEY_${name}_TLS_CERT_FILE`]: '', [`PARLEY_${name}_TLS_KEY_FILE`]: '' }),
        said: new RegExp(`: ${title}: `),
      },
    )
  }
  refusals.push(
    {
      title: 'NATS: the server refuses us without credentials',
      change: async () => ({ PARLEY_NATS_CREDENTIALS_FILE: '' }),
      said: /NATS: Authorization Violation/,
    },
    {
      title: 'NATS: a user that may not publish events is refused',
      change: async () => {
        const publish = ['parley.live.>', 'parley.nodes', '$JS.API.>', '_INBOX.>']
        const few = await users.credentialsWith({ ...documentedRights(), publish })
        return { PARLEY_NATS_CREDENTIALS_FILE: secretFile('few.creds', few) }
      },
      said: /NATS: Permissions Violation for Publish to "parley\.event\..*\(PARLEY_NATS_URL\)/,
    },
    {
      title: 'Redis: a wrong password is refused',
      change: async () => ({ PARLEY_REDIS_URL_FILE: secretFile('wrong', redis.url.replace('%3A', '%3B')) }),
      said: /Redis: WRONGPASS/,
    },
    {
      title: 'MongoDB: a wrong password is refused',
      change: async () => ({ PARLEY_MONGO_URL_FILE: secretFile('wrong', mongo.url.replace('%3A', '%3B')) }),
      said: /MongoDB: Authentication failed/,
    },
    {
      title: 'MongoDB: a user that may only read is refused',
      change: async () => {
        const tls = { tls: true, tlsCAFile: authority.ca, tlsCertificateKeyFile: client.both }
        const admin = new MongoClient(mongo.url, tls)
        const roles = [{ role: 'read', db: 'secured' }]
        await admin.db('admin').command({ createUser: 'reader', pwd: 'reader', roles })
        await admin.close()
        return { PARLEY_MONGO_URL_FILE: secretFile('reader', mongo.url.replace(/\/\/.*@/, '//reader:reader@')) }
      },
      said: /MongoDB: the user "reader" has no right to insert, update, remove in secured\.\w+: grant it the role readWrite/,
    },
    {
      title: 'a certificate without its key is an invalid setting',
      change: async () => ({ PARLEY_NATS_TLS_KEY_FILE: '' }),
      said: /PARLEY_NATS_TLS_CERT and PARLEY_NATS_TLS_KEY belong together: only one of them is set/,
    },
  )
  for (const { title, change, said } of refusals) {
    test(title, async () => {
      await assert.rejects(start('stats', { ...fromFiles, ...(await change()) }), (error) => {
        assert.ok(error instanceof Error)
        assert.match(error.message, said)
        for (const secret of [user.password, user.password.replace(':', ';'), '%3A', '%3B']) {
          assert.ok(!error.message.includes(secret), 'no password is shown')
        }
        return true
      })
    })
  }

  test('a right that the NATS user lacks is named by the check of the streams', async () => {
    const read = (file: string) => readFileSync(file, 'utf8')
    const tls = { ca: read(authority.ca), cert: read(client.cert), key: read(client.key) }
    const rights = documentedRights()
    const connectWith = async (few: Partial<NatsRights>) =>
      connectBus(nats.url, 'test', {}, { tls, credentials: await users.credentialsWith({ ...rights, ...few }) })
    const denied = [
      [await connectWith({ publish: ['parley.event.>', '_INBOX.>'] }), /Publish to "parley\.live\.x"/],
      [await connectWith({ subscribe: ['parley.live.>', '_INBOX.>'] }), /Subscription to "parley\.nodes"/],
    ] as const
    for (const [bus, said] of denied) {
      await checkStreams(bus)
      bus.nats.publish('parley.live.x')
      bus.nats.subscribe('parley.nodes')
      await vi.waitFor(() => assert.rejects(checkStreams(bus), said), { timeout: 60_000 })
      await bus.close()
    }
  })

  test('a NATS server whose certificate expires while a service runs is named with the cause', async () => {
    const place = { dir: mkdtempSync(join(dir, 'expiring-')), authority }
    const expiring = await startNats(place, await natsTls(place))
    const read = (file: string) => readFileSync(file, 'utf8')
    const tls = { ca: read(authority.ca), cert: read(client.cert), key: read(client.key) }
    const logged: string[] = []
    const bus = await connectBus(expiring.url, 'test', { onError: ({ message }) => logged.push(message) }, { tls })
    try {
      await authority.issue('nats', { isExpired: true })
      await expiring.server.stop()
      await expiring.server.restart()
      const said = /localhost:\d+: certificate has expired/
      await vi.waitFor(() => assert.rejects(pingBus(bus), said), { timeout: 60_000 })
      assert.match(logged.join(), said)
      await authority.issue('nats')
      await expiring.server.stop()
      await expiring.server.restart()
      await vi.waitFor(() => pingBus(bus), { timeout: 60_000 })
    } finally {
      await bus.close()
      await expiring.server.stop()
    }
  })

  test('a NATS server that hangs when a service starts counts as away, and is used once it resumes', async () => {
    const { pid } = nats.server
    assert.ok(pid)
    const read = (file: string) => readFileSync(file, 'utf8')
    const tls = { ca: read(authority.ca), cert: read(client.cert), key: read(client.key) }
    const access = { tls, credentials: users.credentials, isService: true }
    process.kill(pid, 'SIGSTOP')
    try {
      const bus = await connectBus(nats.url, 'test', {}, access)
      const reached = new Promise<void>((resolve) => bus.whenReached(() => resolve()))
      assert.equal(bus.connected, false)
      process.kill(pid, 'SIGCONT')
      await reached
      assert.equal(bus.connected, true)
      await bus.close()
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  })

  test('a tls:// URL never connects in plaintext to a NATS server without TLS', async () => {
    const plain = await startNats({ dir }, '')
    try {
      await assert.rejects(connectBus(plain.url.replace('nats:', 'tls:'), 'test'), /tls/)
    } finally {
      await plain.server.stop()
    }
  })

  for (const [title, authorization, inUrl] of [
    ['user and password', `user: "${user.name}", password: "${user.password}"`, [user.name, user.password]],
    ['a token', `token: "${user.password}"`, [user.password]],
  ] as const) {
    test(`NATS accepts ${title} from the URL`, async () => {
      const server = await startNats({ dir }, `authorization { ${authorization} }\n`)
      try {
        await assert.rejects(connectBus(server.url, 'test'), /authori[sz]ation/i)
        const access = inUrl.map(encodeURIComponent).join(':')
        const bus = await connectBus(server.url.replace('//', `//${access}@`), 'test')
        await bus.close()
      } finally {
        await server.server.stop()
      }
    })
  }

  test('an invalid certificate file is reported with its variable', async () => {
    const path = secretFile('no-certificate', 'hello')
    await assert.rejects(
      start('stats', { ...fromFiles, PARLEY_MONGO_TLS_CA_FILE: path }),
      /PARLEY_MONGO_TLS_CA_FILE is not usable: expected a certificate in PEM/,
    )
    assert.equal(readFileSync(path, 'utf8'), 'hello\n')
  })
})
