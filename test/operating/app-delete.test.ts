import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connectDb, type Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { type DemoKeys, makeApp } from '@parley/local/make-app'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openReadProxy } from '../doubles/read-proxy.ts'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { fillCollections } from '../test-app-rows.ts'

const run = promisify(execFile)
/** Collections without documents of single apps. Operators lose their roles in the app (routes/console/roles.test.ts). */
const ofInstallation = new Set([
  ...['migrations', 'streamState', 'pageFiles', 'auditUnsealed'],
  ...['operators', 'operatorSessions', 'passkeyChallenges', 'signInFailures'],
])
/** The test keeps using refused keys. */
const noLimit = { PARLEY_GATEWAY_FAILED_LOGINS_PER_ADDRESS: '0' }

describe('parley app delete', () => {
  let platform: Platform
  let gateways: RunningService[]
  let nodes: RunningService[]
  let db: Db
  let env: NodeJS.ProcessEnv
  /** Its ID begins with the deleted app's, so that too wide a range would include it. */
  let other: DemoKeys
  beforeAll(async () => {
    platform = await startPlatform()
    const { mongoUrl, natsUrl } = platform.servers
    env = { ...commandEnv, PARLEY_MONGO_URL: mongoUrl, PARLEY_NATS_URL: natsUrl }
    other = await makeApp(mongoUrl, `${platform.app}-2`)
    const services = ['api-gateway', 'api-gateway', 'realtime', 'realtime'] as const
    const started = await Promise.all(services.map((service) => platform.start(service, noLimit)))
    gateways = started.slice(0, 2)
    nodes = started.slice(2)
    db = await connectDb(mongoUrl)
  })
  afterAll(async () => {
    await db.client.close()
    await platform.stop()
  })

  async function parley(...args: string[]): Promise<{ code: number; out: string }> {
    try {
      const { stdout, stderr } = await run(process.execPath, [parleyFile, ...args], { env })
      return { code: 0, out: stdout + stderr }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, out: stdout + stderr }
    }
  }
  const admin = async (keys: DemoKeys, method: string, path: string, body?: unknown) => {
    const answer = await call(String(gateways[0]?.url), method, path, { 'im-api-key': keys.apiKey }, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result
  }
  /** Creates a user with a room, a message, and a socket on each node. */
  async function chatIn(
    keys: DemoKeys,
    room: string,
  ): Promise<{ token: string; sockets: Socket[]; ended: Promise<unknown[]> }> {
    const { token } = await admin(keys, 'POST', '/admin/clients', { _id: 'ann', issueAccessToken: true })
    await admin(keys, 'POST', '/rooms/', { _id: room, roomType: 'group', members: ['ann'] })
    await admin(keys, 'POST', '/messages', { room, sender: 'ann', message: 'hello', messageType: 'text' })
    const sockets = await Promise.all(nodes.map(({ url }) => connectClient(url, String(token))))
    const ended = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('disconnect', resolve))))
    return { token: String(token), sockets, ended }
  }
  /** The IDs of documents that contain the app's ID anywhere, by collection. */
  async function idsOf(app: string): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {}
    for (const { collectionName } of await db.mongo.collections()) {
      const all = await db.mongo.collection(collectionName).find().toArray()
      const isOf = new RegExp(`"(?:[^"]*u0000)?${app}(?:\\\\u0000[^"]*)?"`)
      const own = all.filter((document) => isOf.test(JSON.stringify(document)))
      if (own.length > 0) found[collectionName] = own.map(({ _id }) => String(_id)).sort()
    }
    return found
  }
  const statuses = async ({ apiKey, clientKey }: DemoKeys, token: string) => {
    const asUser = { 'im-client-key': clientKey, 'im-authorization': token }
    const asked = gateways.flatMap(({ url }) => [
      call(url, 'GET', '/admin/groups', { 'im-api-key': apiKey }),
      call(url, 'GET', '/me', asUser),
    ])
    return (await Promise.all(asked)).map(({ status }) => status)
  }

  test('an unknown app, or a missing --yes, is refused in one sentence without changes', async () => {
    assert.deepEqual(await parley('app', 'delete', 'none', '--yes'), {
      code: 1,
      out: 'parley: there is no app "none"\n',
    })
    const { token, sockets } = await chatIn(platform, 'first')
    const { code, out } = await parley('app', 'delete', platform.app)
    assert.equal(code, 1)
    assert.match(out, /would permanently delete the app .* with 1 users .*, 1 rooms and 1 messages: confirm with --yes/)
    assert.deepEqual(await statuses(platform, token), [200, 200, 200, 200])
    for (const socket of sockets) socket.close()
  })

  test('removes every document, key and socket of the app, and nothing of another app', async () => {
    const [own, kept] = [await chatIn(platform, 'second'), await chatIn(other, 'second')]
    await eventually('all events are published', async () => (await db.outbox.countDocuments()) === 0)
    await eventually(
      'all messages are flushed',
      async () => (await findAllMessages(db, { app: other.app })).length === 1,
    )
    await eventually('the audit log is linked', async () => (await db.auditUnsealed.countDocuments()) === 0)
    for (const { app } of [platform, other]) await fillCollections(db, app)
    const before = await idsOf(other.app)
    const collections = (await db.mongo.collections()).map(({ collectionName }) => collectionName)
    assert.deepEqual(Object.keys(before).sort(), collections.filter((name) => !ofInstallation.has(name)).sort())

    // Keep using the keys, so that both gateways cache them.
    const deleting = new AbortController()
    const using = (async () => {
      while (!deleting.signal.aborted) {
        await statuses(platform, own.token)
        await pause(50)
      }
    })()
    const proxy = await openReadProxy(platform.servers.mongoUrl)
    const half = proxy.holdNextRead('messages')
    const killed = spawn(process.execPath, [parleyFile, 'app', 'delete', platform.app, '--yes'], {
      env: { ...env, PARLEY_MONGO_URL: proxy.url },
    })
    const gone = new Promise((resolve) => killed.once('exit', resolve))
    await half.answered
    killed.kill('SIGKILL')
    await gone
    await proxy.close()
    assert.match((await parley('app', 'list')).out, /being deleted/)
    const { code, out } = await parley('app', 'delete', platform.app, '--yes')
    deleting.abort()
    await using
    assert.equal(code, 0, out)
    assert.match(out, /messages: \d+ deleted so far/)
    assert.deepEqual(await own.ended, ['io server disconnect', 'io server disconnect'])
    assert.deepEqual(await statuses(platform, own.token), [401, 401, 401, 401])
    assert.deepEqual(await idsOf(platform.app), {})
    const noted = { app: '*', action: 'app delete', subject: `app:${platform.app}` }
    assert.equal(await db.audit.countDocuments(noted), 2, 'recorded in the installation’s audit log, once per run')

    assert.deepEqual(await statuses(other, kept.token), [200, 200, 200, 200])
    assert.deepEqual(await idsOf(other.app), before)
    assert.ok(kept.sockets.every(({ connected }) => connected))
    for (const socket of kept.sockets) socket.close()
    assert.match((await parley('app', 'delete', platform.app, '--yes')).out, /there is no app/)

    // As left by a process that stalled during the deletion.
    const [message] = await findAllMessages(db, { app: other.app })
    assert.ok(message)
    const left = { ...message, _id: 'left', app: platform.app, roomKey: key(platform.app, 'second') }
    await db.messages.insertOne(left)
    assert.match(
      (await parley('app', 'delete', platform.app)).out,
      /with 0 users .*, 0 rooms and 1 messages: confirm with --yes/,
    )
  })
})
