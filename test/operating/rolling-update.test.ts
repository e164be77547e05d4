import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { closeBus, connectBus } from '@parley/bus/connect'
import { findStream } from '@parley/bus/stream/stream-identity'
import { connectDb, type Db } from '@parley/db/connect'
import { makeApp } from '@parley/local/make-app'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { earlierRelease, hasEarlierRelease } from './earlier-release.ts'

interface Heard {
  _id: string
  seq: number
}

describe.skipIf(!hasEarlierRelease())('a rolling update from release 0.1.0', () => {
  let platform: Platform
  let db: Db
  let before: RunningService
  let now: RunningService
  let realtime: RunningService
  let bob: Socket
  let token: string
  let room: string
  let root: string
  const heard = new Map<string, Heard>()
  const admin = () => ({ 'im-api-key': platform.apiKey })
  const asBob = () => ({ 'im-client-key': platform.clientKey, 'im-authorization': token })

  beforeAll(async () => {
    root = await earlierRelease()
    platform = await startPlatform({ toKill: ['nats'] })
    db = await connectDb(platform.servers.mongoUrl)
    // A database that only 0.1.0 has used, which its gateway goes on using while it is migrated.
    await db.mongo.dropDatabase()
    before = await platform.start('api-gateway', {}, root)
    assert.doesNotMatch(await parleyMigrate('--dry-run').catch(({ stdout }: { stdout: string }) => stdout), /tails/)
    assert.match(await parleyMigrate(), /run this with --finish for 0005-tails/)
    await makeApp(platform.servers.mongoUrl, platform.app, platform)
    ;[now, realtime] = await Promise.all([platform.start('api-gateway'), platform.start('realtime')])
    for (const _id of ['alice', 'bob']) {
      const { body } = await call(before.url, 'POST', '/admin/clients', admin(), { _id, issueAccessToken: true })
      token = String(body.result['token'])
    }
    const made = await call(now.url, 'POST', '/rooms/', admin(), { roomType: 'group', members: ['alice', 'bob'] })
    room = String(made.body.result['_id'])
    bob = await connectClient(realtime.url, token)
    bob.on('chat message', (message: Heard) => heard.set(message._id, message))
  }, 240_000)
  afterAll(async () => {
    bob.disconnect()
    await db.client.close()
    await platform.stop()
  })

  async function parleyMigrate(...args: string[]): Promise<string> {
    const parley = join(import.meta.dirname, '../../services/api-gateway/src/parley.ts')
    const env = { ...process.env, PARLEY_MONGO_URL: platform.servers.mongoUrl }
    return (await promisify(execFile)(process.execPath, [parley, 'migrate', ...args], { env })).stdout
  }
  async function send({ url }: RunningService, message: string): Promise<string> {
    const body = { room, sender: 'alice', message, messageType: 'text' }
    const answer = await call(url, 'POST', '/messages', admin(), body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return String(answer.body.result['_id'])
  }
  async function deleteAll({ url }: RunningService): Promise<void> {
    const answer = await call(url, 'DELETE', `/rooms/${room}/messages/_all`, admin())
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  const badge = async ({ url }: RunningService) => (await call(url, 'GET', '/me/badge', asBob())).body.result['badge']

  test('gateways of both releases work on the new schema at once: seq without holes, exact unread, every event', async () => {
    const ids = await Promise.all(
      Array.from({ length: 60 }, (_, i) => send(i % 2 === 0 ? before : now, `message ${i}`)),
    )
    await eventually('every event', () => ids.every((id) => heard.has(id)))
    assert.deepEqual(
      [...heard.values()].map(({ seq }) => seq).toSorted((a, b) => a - b),
      ids.map((_, i) => i + 1),
    )
    for (const gateway of [before, now]) {
      assert.equal(await badge(gateway), 60)
      const history = await call(gateway.url, 'GET', `/rooms/${room}/messages/v3?limit=100`, asBob())
      assert.equal((history.body.result['data'] as unknown[]).length, 60)
    }
    const last = [...heard.values()].find(({ seq }) => seq === 40)
    const marked = await call(before.url, 'PUT', `/rooms/${room}/lastRead`, asBob(), { message: last?._id })
    assert.equal(marked.status, 200)
    assert.equal(await badge(now), 20)
    assert.equal(await db.rooms.countDocuments({ tail: { $exists: true } }), 0, 'what 0.1.0 does not read is not used')
  })

  test('what a gateway of 0.1.0 had not published when it was killed (-9), the new services publish', async () => {
    const deleted = new Promise((resolve) => bob.once('messageDeleted', resolve))
    await platform.servers.nats.kill()
    await deleteAll(before)
    const id = await send(before, 'while NATS is away')
    await before.kill()
    await platform.servers.nats.restart()
    await eventually('the message', () => heard.has(id))
    assert.deepEqual(await deleted, { room, messageID: '_all' })
  })

  test('what a new gateway had not published when it was killed (-9) is not lost on a gateway of 0.1.0', async () => {
    const name = 'renamed while NATS is away'
    // A room event may come again after a reconnect: only the new name says that this one came.
    const renamed = new Promise<void>((resolve) => {
      bob.on('room', (changedRoom: { name: string }) => {
        if (changedRoom.name === name) resolve()
      })
    })
    await platform.servers.nats.kill()
    await deleteAll(now)
    // 0.1.0 publishes a deletion under the ID that the room has, the relay what is noted: the stream keeps one of both.
    const deletion = (await db.rooms.findOne({ id: room }))?.erasing?.unpublished
    assert.ok(deletion)
    assert.ok(await db.pendingEvents.findOne({ 'events.id': deletion }), 'noted under the same ID')
    const changed = await call(now.url, 'PUT', `/rooms/${room}`, admin(), { name })
    assert.equal(changed.status, 200)
    await now.kill()
    await platform.servers.nats.restart()
    before = await platform.start('api-gateway', {}, root)
    await renamed
    // A gateway of 0.1.0 has the stream take the events that it knows, and no others.
    const bus = await connectBus(platform.servers.natsUrl, 'test')
    await eventually('the stream takes every event', async () => (await findStream(bus))?.takesAll === true)
    await closeBus(bus)
  })

  test('when no service of 0.1.0 is left, `parley migrate --finish` has new messages go into tails, while they are sent', async () => {
    await before.kill()
    const gateways = await Promise.all([platform.start('api-gateway'), platform.start('api-gateway')])
    const { seq: seqBefore } = (await db.rooms.findOne({ id: room })) ?? { seq: Number.NaN }
    const badgeBefore = Number(await badge(gateways[0]))
    const ids: string[] = []
    const sending = { on: true }
    const senders = gateways.map(async (gateway) => {
      while (sending.on) ids.push(await send(gateway, 'on and on'))
    })
    assert.match(await parleyMigrate(), /run this with --finish for 0005-tails/)
    assert.equal(await db.rooms.countDocuments({ tail: { $exists: true } }), 0)
    assert.match(await parleyMigrate('--finish'), /0005-tails: done/)
    await eventually('a tail', async () => (await db.rooms.countDocuments({ tail: { $exists: true } })) > 0)
    const some = ids.length + 50
    await eventually('messages go on', () => ids.length > some)
    sending.on = false
    await Promise.all(senders)
    await eventually('every event', () => ids.every((id) => heard.has(id)))
    const seqs = ids.map((id) => heard.get(id)?.seq ?? 0).toSorted((a, b) => a - b)
    assert.deepEqual(
      seqs,
      seqs.map((_, i) => seqBefore + 1 + i),
    )
    for (const gateway of gateways) assert.equal(await badge(gateway), badgeBefore + ids.length)
  })
})
