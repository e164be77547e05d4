import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { indexesOf } from '@parley/db/collections'
import type { CollectionName } from '@parley/db/db'
import { keyPattern, places } from '@parley/db/shard-keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { shardCommand } from '../commands/shard-command.ts'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/scaling.md'), 'utf8')

/** The rows of a table of the page, by the head of its columns. */
function rowsOf(head: string): (readonly [string, string])[] {
  const [, table = ''] = page.split(`\n| ${head} |\n`)
  const [, rows = ''] = /^\|.*\n((?:\|.*\n)+)/.exec(table) ?? []
  return [...rows.matchAll(/^\| (.+) \| (.+) \|$/gm)].map(([, left = '', right = '']) => [left, right] as const)
}

describe('a cluster of shards', () => {
  test('has a place for each collection, as docs/scaling.md lists it', () => {
    const groups = Map.groupBy(Object.keys(indexesOf), (name) => {
      const place = places[name as CollectionName]
      return typeof place === 'string' ? `whole: ${place}` : `\`${JSON.stringify(keyPattern(place))}\``
    })
    const wanted = [...groups].map(([how, names]) => [how, names.map((name) => `\`${name}\``).join(', ')])
    assert.deepEqual(rowsOf('shard key | collections'), wanted)
  })

  test('can keep every unique index: each begins with the shard key', () => {
    const beyond = Object.entries(indexesOf).flatMap(([name, indexes]) => {
      const place = places[name as CollectionName]
      if (typeof place === 'string') return []
      const unique = indexes.filter((index) => index.unique && Object.keys(index.key)[0] !== place.field)
      return unique.map(({ key }) => `${name}: ${JSON.stringify(key)}`)
    })
    assert.deepEqual(beyond, [])
  })

  test('is made by the commands of `parley shard --plan`, one for each collection or the reason against it', async () => {
    const printed: string[] = []
    await shardCommand((line) => printed.push(line)).parseAsync(['--plan', '--database', 'im'], { from: 'user' })
    assert.equal(printed[0], 'sh.enableSharding("im")')
    assert.ok(printed.includes('sh.shardCollection("im.rooms", {"_id":"hashed"})'))
    assert.ok(printed.includes('// apps stays whole on the primary shard: few documents'))
    for (const name of Object.keys(indexesOf)) {
      const starts = [`sh.shardCollection("im.${name}"`, `// ${name} `]
      assert.equal(printed.filter((line) => starts.some((start) => line.startsWith(start))).length, 1, name)
    }
  })
})

describe('docs/scaling.md, "MongoDB with shards": lookups on all shards', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  let message: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
    await gateway.newUser('carol')
    room = await gateway.newRoom([alice, bob])
    message = (await send()).body.result._id
  })
  afterAll(() => gateway.stop())

  const send = () => alice.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })
  const settled = async () => {
    await gateway.chat.flusher.drained()
    await gateway.chat.outbox.drained()
  }
  /** Until its messages are flushed. */
  async function onAllShards(request: () => Promise<unknown>): Promise<string> {
    await settled()
    const { onAll } = gateway.routing
    onAll.length = 0
    await request()
    await settled()
    return [...new Set(onAll)].toSorted().join(', ') || 'nothing'
  }

  const requests: Record<string, () => Promise<unknown>> = {
    'a send, flushed': send,
    'a page of history': () => bob.call('GET', `/rooms/${room}/messages/v3`),
    'GET /rooms/{id}': () => bob.call('GET', `/rooms/${room}`),
    'GET /rooms/{id}/members': () => bob.call('GET', `/rooms/${room}/members`),
    'GET /rooms': () => bob.call('GET', '/rooms'),
    'GET /me/badge': () => bob.call('GET', '/me/badge'),
    lastRead: () => bob.call('PUT', `/rooms/${room}/lastRead`, { message }),
    'a reaction': () => bob.call('POST', `/messages/${message}/reaction`, { reaction: '+' }),
    'adding a member': () => gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['carol'] }),
    'a new direct room': () => alice.call('POST', '/rooms', { roomType: 'direct', members: ['alice', 'bob'] }),
    'an idempotent send': () =>
      alice.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text', clientMessageID: 'once' }),
    'deleting for all': () => gateway.admin('DELETE', `/rooms/${room}/messages/${message}`),
  }
  const rows = rowsOf('request | looked up on all shards')

  test('the page lists exactly these requests', () => {
    assert.deepEqual(
      rows.map(([what]) => what),
      Object.keys(requests),
    )
  })

  for (const [what, wanted] of rows) {
    test(`${what}: ${wanted}`, async () => {
      assert.equal(await onAllShards(requests[what] as () => Promise<unknown>), wanted)
    })
  }
})
