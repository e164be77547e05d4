import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'
import { recorded } from '../test-profiler.ts'

type Document = Awaited<ReturnType<TestGateway['chat']['db']['mongo']['command']>>

const page = readFileSync(join(import.meta.dirname, '../../../../docs/scaling.md'), 'utf8')
/** As docs/scaling.md would shard MongoDB. */
const shardKeys: Record<string, string> = {
  ...{ rooms: '_id', messageBuckets: 'roomKey', messages: 'roomKey', memberships: 'roomKey' },
}

/** An `$or` goes to the shards of its branches, if each of them names one. */
function namesShard(filter: Document, shardKey: string): boolean {
  if (shardKey in filter) return true
  if (filter['$and']?.some((part: Document) => namesShard(part, shardKey))) return true
  return filter['$or']?.every((part: Document) => namesShard(part, shardKey)) ?? false
}

describe('docs/scaling.md, "MongoDB with shards": lookups without the shard key', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  let message: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
    room = await gateway.newRoom([alice, bob])
    message = (await send()).body.result._id
    await gateway.chat.flusher.drained()
  })
  afterAll(() => gateway.stop())

  const send = () => alice.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })
  /** The commands of a request on sharded collections that lack the shard key, such as `memberships` by `_id`. */
  async function unsharded(request: () => Promise<unknown>): Promise<string[]> {
    await gateway.chat.flusher.drained()
    const entries = await recorded(gateway, request)
    const found = entries.flatMap(({ op, ns, command }) => {
      const collection = String(ns).split('.').at(-1) ?? ''
      const shardKey = shardKeys[collection]
      if (shardKey === undefined || op === 'insert' || op === 'getmore') return []
      const filter: Document = command.q ?? command.filter ?? command.query ?? command.pipeline?.[0]?.$match ?? {}
      return namesShard(filter, shardKey) ? [] : [`\`${collection}\` by \`${Object.keys(filter)[0]}\``]
    })
    return [...new Set(found)].toSorted()
  }

  const requests: Record<string, () => Promise<unknown>> = {
    'a send, until it is acknowledged': send,
    'flushing it': async () => {
      await send()
      await gateway.chat.flusher.drained()
    },
    'a page of history': () => bob.call('GET', `/rooms/${room}/messages/v3`),
    'GET /rooms/{id}': () => bob.call('GET', `/rooms/${room}`),
    'GET /rooms/{id}/members': () => bob.call('GET', `/rooms/${room}/members`),
    'GET /rooms': () => bob.call('GET', '/rooms'),
    'GET /me/badge': () => bob.call('GET', '/me/badge'),
    lastRead: () => bob.call('PUT', `/rooms/${room}/lastRead`, { message }),
    'a reaction': () => bob.call('POST', `/messages/${message}/reaction`, { reaction: '+' }),
    'deleting for all': () => gateway.admin('DELETE', `/rooms/${room}/messages/${message}`),
  }
  const [, table = ''] = /^\| request \| looked up on all shards \|\n\|.*\n((?:\|.*\n)+)/m.exec(page) ?? []
  const rows = [...table.matchAll(/^\| (.+) \| (.+) \|$/gm)].map(([, what = '', found = '']) => [what, found] as const)

  test('the page lists exactly these requests', () => {
    assert.deepEqual(
      rows.map(([what]) => what),
      Object.keys(requests),
    )
  })

  for (const [what, wanted] of rows) {
    test(`${what}: ${wanted}`, async () => {
      const found = await unsharded(requests[what] as () => Promise<unknown>)
      assert.equal(found.join(', ') || 'nothing', wanted)
    })
  }
})
