import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dueWork } from '@parley/db/due-work'
import { onAllShards } from '@parley/db/test-shard-routing'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectClient, eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'

/** The page's table: actions, and the statements that they send to all shards. */
const page = readFileSync(join(import.meta.dirname, '../../docs/scaling.md'), 'utf8')
const [, table = ''] = /\n\| work \| looked up on all shards \|\n\|.*\n((?:\|.*\n)+)/.exec(page) ?? []
const rows = new Map([...table.matchAll(/^\| (.+) \| (.+) \|$/gm)].map(([, what = '', found = '']) => [what, found]))
/** Periodic statements, which can run during any action. */
const rounds = rows.get('every few seconds') ?? ''

type Document = Awaited<ReturnType<PushPlatform['db']['mongo']['command']>>

describe('docs/scaling.md, "MongoDB with shards": lookups on all shards', () => {
  let platform: PushPlatform
  let node: RunningService
  let alice: string
  let bob: string
  let carol: string
  let room: string
  let message: string
  beforeAll(async () => {
    platform = await startPushPlatform()
    ;[node] = await Promise.all([platform.start('realtime'), platform.startPush()])
    alice = await platform.newUser()
    bob = await platform.newUser(['ios'])
    carol = await platform.newUser()
    room = await platform.newRoom([alice, bob])
    message = await send()
    await settled()
  })
  afterAll(() => platform.stop())

  const send = (fields = {}) => platform.send(room, alice, fields)
  /** Resolves when everything is flushed and published. */
  const settled = () =>
    eventually('flushed and published', async () => {
      const { db } = platform
      const waiting = await db.rooms.countDocuments({ 'buffer.0': { $exists: true } })
      return waiting + (await db.outbox.countDocuments()) === 0
    })

  /** Runs an action; returns the statements that a service sent to all shards. */
  async function scattered(service: string, work: () => Promise<unknown>): Promise<string[]> {
    const { mongo } = platform.db
    await mongo.collection('system.profile').drop()
    await mongo.command({ profile: 2, slowms: 0 })
    try {
      await work()
      await settled()
    } finally {
      await mongo.command({ profile: 0 })
    }
    const entries = await mongo
      .collection('system.profile')
      .find({ appName: { $regex: `^${service}` } })
      .toArray()
    assert.ok(entries.length > 0, `${service} asked MongoDB nothing`)
    return [...new Set(entries.flatMap(lookupsOf))].filter((lookup) => !rounds.includes(lookup)).toSorted()
  }

  const loggedIn = async () => {
    const socket = await connectClient(node.url, platform.tokenOf(bob))
    socket.disconnect()
  }
  const pushed = async () => {
    const id = await send()
    await eventually('the push', () => platform.apns.pushes.some(({ payload }) => payload.messageID === id))
  }
  const requests: Record<string, [service: string, work: () => Promise<unknown>]> = {
    'a send, flushed': ['api-gateway', send],
    'a send with an idempotency key': ['api-gateway', () => send({ clientMessageID: 'once' })],
    'its push': ['push', pushed],
    'a login': ['realtime', loggedIn],
    'a page of history': ['api-gateway', () => platform.as(bob, 'GET', `/rooms/${room}/messages/v3`)],
    'GET /rooms': ['api-gateway', () => platform.as(bob, 'GET', '/rooms')],
    'GET /rooms/{id}': ['api-gateway', () => platform.as(bob, 'GET', `/rooms/${room}`)],
    'GET /rooms/{id}/members': ['api-gateway', () => platform.as(bob, 'GET', `/rooms/${room}/members`)],
    'GET /me/badge': ['api-gateway', () => platform.as(bob, 'GET', '/me/badge')],
    'a read marker': ['api-gateway', () => platform.as(bob, 'PUT', `/rooms/${room}/lastRead`, { message })],
    'a new direct room': [
      'api-gateway',
      () => platform.admin('POST', '/rooms/', { roomType: 'direct', members: [alice, bob] }),
    ],
    'adding a member': ['api-gateway', () => platform.admin('POST', `/rooms/${room}/members`, { invitees: [carol] })],
    'a ban': ['api-gateway', () => platform.admin('POST', `/blockStatus/room/${room}/${carol}`)],
    'a reaction': ['api-gateway', () => platform.as(bob, 'POST', `/messages/${message}/reaction`, { reaction: '+' })],
    'deleting for all': ['api-gateway', () => platform.admin('DELETE', `/rooms/${room}/messages/${message}`)],
  }

  test('the page lists exactly the tested requests', () => {
    assert.deepEqual([...rows.keys()], [...Object.keys(requests), 'every few seconds'])
  })

  test('the page lists the lookups of background work', () => {
    const looks = onAllShards('aggregate', { aggregate: 'streamState', pipeline: dueWork(0) })
    assert.deepEqual(
      looks.map(({ lookup }) => lookup).filter((lookup) => !rounds.includes(lookup)),
      [],
    )
  })

  for (const [what, [service, work]] of Object.entries(requests)) {
    const wanted = rows.get(what)
    test(`${what}: ${wanted}`, async () => {
      const found = await scattered(service, work)
      assert.equal(found.join(', ') || 'nothing', wanted)
    })
  }
})

/** The lookups of a profiler entry. The profiler records each statement of an update or deletion separately. */
function lookupsOf({ op, ns, command }: Document): string[] {
  const collection = String(ns).slice(String(ns).indexOf('.') + 1)
  const [name = ''] = Object.keys(command)
  const found =
    op === 'update'
      ? onAllShards('update', { update: collection, updates: [command] })
      : op === 'remove'
        ? onAllShards('delete', { delete: collection, deletes: [command] })
        : onAllShards(name, command)
  return found.map(({ lookup }) => lookup)
}
