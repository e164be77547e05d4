import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectDb, type Db } from '@parley/db/connect'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { nextField, nextMigration, nextRelease } from './next-release.ts'

interface Heard {
  _id: string
  seq: number
}

describe('a rolling update to a release with one more migration and field', () => {
  let platform: Platform
  let db: Db
  let root: string
  let before: RunningService
  let next: RunningService
  let bob: Socket
  let token: string
  let room: string
  const heard = new Map<string, Heard>()
  const admin = () => ({ 'im-api-key': platform.apiKey })
  const asBob = () => ({ 'im-client-key': platform.clientKey, 'im-authorization': token })

  beforeAll(async () => {
    root = nextRelease()
    platform = await startPlatform({ changesSchema: true })
    db = await connectDb(platform.servers.mongoUrl)
    const [gateway, realtime] = await Promise.all([platform.start('api-gateway'), platform.start('realtime')])
    before = gateway
    for (const _id of ['alice', 'bob']) {
      const { body } = await call(before.url, 'POST', '/admin/clients', admin(), { _id, issueAccessToken: true })
      token = String(body.result['token'])
    }
    const made = await call(before.url, 'POST', '/rooms/', admin(), { roomType: 'group', members: ['alice', 'bob'] })
    room = String(made.body.result['_id'])
    bob = await connectClient(realtime.url, token)
    bob.on('chat message', (message: Heard) => heard.set(message._id, message))
  }, 240_000)
  afterAll(async () => {
    bob?.disconnect()
    await db?.client.close()
    await platform?.stop()
    rmSync(root, { recursive: true, force: true })
  })

  async function send({ url }: RunningService): Promise<string> {
    const body = { room, sender: 'alice', message: 'x', messageType: 'text' }
    const answer = await call(url, 'POST', '/messages', admin(), body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return String(answer.body.result['_id'])
  }
  const readyz = ({ ports }: RunningService) => fetch(`http://127.0.0.1:${ports['internal']}/readyz`)

  /** Asserts that every message has an event, that seq has no gaps, and that both gateways agree. */
  async function assertWhole(ids: readonly string[], gateways: readonly RunningService[]): Promise<void> {
    await eventually('every event', () => ids.every((id) => heard.has(id)))
    const seqs = [...heard.values()].map(({ seq }) => seq).toSorted((a, b) => a - b)
    assert.deepEqual(
      seqs,
      ids.map((_, i) => i + 1),
    )
    for (const { url } of gateways) {
      assert.equal((await call(url, 'GET', '/me/badge', asBob())).body.result['badge'], ids.length)
      const history = await call(url, 'GET', `/rooms/${room}/messages/v3?limit=100`, asBob())
      const messages = history.body.result['data'] as Record<string, unknown>[]
      assert.deepEqual(new Set(messages.map(({ _id }) => _id)), new Set(ids))
      assert.ok(messages.every((message) => !(nextField in message)))
    }
  }

  test('keeps seq gapless, unread counts exact and every event, during migration, mixed versions and rollback', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => send(before)))
    next = await platform.start('api-gateway', {}, root)
    const { failing } = (await (await readyz(next)).json()) as { failing: Record<string, string> }
    assert.match(failing['schema'] ?? '', new RegExp(`older schema, without ${nextMigration}`))

    const parley = join(root, 'services/api-gateway/src/parley.ts')
    const env = { ...process.env, PARLEY_MONGO_URL: platform.servers.mongoUrl }
    const [{ stdout }, ...during] = await Promise.all([
      promisify(execFile)(process.execPath, [parley, 'migrate'], { env }),
      ...Array.from({ length: 10 }, () => send(before)),
    ])
    assert.match(stdout, new RegExp(`${nextMigration}: done`))
    ids.push(...during)
    await eventually('the next release is ready', async () => (await readyz(next)).status === 200)

    ids.push(...(await Promise.all(Array.from({ length: 60 }, (_, i) => send(i % 2 ? before : next)))))
    await assertWhole(ids, [before, next])

    await next.kill()
    const again = await platform.start('api-gateway')
    await eventually(
      'the previous release is ready on the new schema',
      async () => (await readyz(again)).status === 200,
    )
    ids.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => send(i % 2 ? before : again)))))
    await assertWhole(ids, [before, again])
    await eventually('every message is flushed, with its field', async () => {
      const messages = await findAllMessages(db, {})
      const withField = messages.filter((message) => nextField in message && message[nextField as '_id'] === 'next')
      return messages.length === ids.length && withField.length === 30
    })
  })
})
