import assert from 'node:assert/strict'
import { createThumbnailTurns } from '@parley/chat/files/clear-files'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { png, upload } from './test-files.ts'

describe('thumbnails are made round-robin', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  const picture = { name: 'a.png', type: 'image/png' }
  async function uploads(call: TestUser['call'], count: number): Promise<string[]> {
    const ids = []
    for (let i = 0; i < count; i++) ids.push(await upload(call, png, picture))
    return ids
  }

  test('by app, and by user within an app: many uploads of one user do not delay others', async () => {
    const { store, chat } = gateway
    const other = await startTestGateway({ database: chat.db.mongo.databaseName })
    const [greedy, modest, foreign] = [await gateway.newUser(), await gateway.newUser(), await other.newUser()]
    const owners = new Map<string, string>()
    for (const [owner, call, count] of [
      ['greedy', greedy.call, 5],
      ['the integrator', gateway.admin, 3],
      ['modest', modest.call, 2],
      ['foreign', foreign.call, 2],
    ] as const) {
      for (const id of await uploads(call, count)) owners.set(id, owner)
    }
    const order: string[] = []
    const makeThumbnail = () => Promise.resolve({ bytes: png, width: 1, height: 1 })
    const keep: typeof store.keep = async (id, ...rest) => {
      order.push(owners.get(id) ?? '')
      await store.keep(id, ...rest)
    }
    const next = createThumbnailTurns(chat, { store: { ...store, keep }, makeThumbnail })
    while (await next(Date.now())) continue
    assert.equal(order.length, 12)
    assert.deepEqual(new Set(order.slice(0, 6)), new Set(owners.values()))
    assert.deepEqual(new Set(order.slice(-2)), new Set(['greedy']))
    await other.stop()
  })
})
