import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('POST /badges/byRoomTags', () => {
  let gateway: TestGateway
  let alice: TestUser

  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    const bob = await gateway.newUser('bob')
    const rooms: [members: TestUser[], tags: string[], messages: number][] = [
      [[alice, bob], ['work', 'urgent'], 3],
      [[alice, bob], ['work'], 2],
      [[alice, bob], ['Work', '__proto__'], 5],
      [[alice, bob], [], 7],
      [[bob], ['work', 'secret'], 11],
    ]
    for (const [members, roomTags, messages] of rooms) {
      const room = await gateway.newRoom(members, { roomTags })
      for (let i = 0; i < messages; i++) {
        await gateway.admin('POST', '/messages', { room, sender: 'bob', message: i, messageType: 'text' })
      }
    }
  })
  afterAll(() => gateway.stop())
  const ask = (body?: unknown) => alice.call('POST', '/badges/byRoomTags', body)

  test('returns every requested tag, 0 without unread messages; totalBadge counts a room once', async () => {
    proves('POST /badges/byRoomTags', 'body.tags', 'result.totalBadge', 'result.data', 'tags match exactly')
    proves('POST /badges/byRoomTags', 'only rooms that the user may access', '0 for a tag without unread messages')
    const { status, body } = await ask({ tags: ['work', 'urgent', 'none'] })
    assert.equal(status, 200)
    assert.deepEqual(body.result, { totalBadge: 5, data: { work: 5, urgent: 3, none: 0 } })
    assert.deepEqual((await ask({ tags: ['secret'] })).body.result, { totalBadge: 0, data: { secret: 0 } })
  })

  test('without tags, or with an empty list, counts all tags of the caller’s rooms', async () => {
    proves('POST /badges/byRoomTags', 'without tags, or with an empty array, all tags are queried')
    for (const body of [undefined, {}, { tags: [] }]) {
      const { result } = (await ask(body)).body
      assert.equal(result.totalBadge, 10)
      const data = Object.fromEntries(Object.entries(result.data))
      assert.deepEqual(Object.keys(data).toSorted(), ['Work', '__proto__', 'urgent', 'work'])
      assert.equal(Object.getOwnPropertyDescriptor(result.data, '__proto__')?.value, 5)
    }
  })

  test('tags other than an array of strings are 400 INVALID_TAGS, a bad token 401 INVALID_TOKEN', async () => {
    proves('POST /badges/byRoomTags', '400 INVALID_TAGS', '401 INVALID_TOKEN')
    for (const tags of ['work', [1], 1, { a: 1 }]) {
      const { status, body } = await ask({ tags })
      assert.deepEqual([status, body.error?.code], [400, 'INVALID_TAGS'], JSON.stringify(body))
    }
    const { status, body } = await alice.call('POST', '/badges/byRoomTags', {}, { 'im-authorization': 'x' })
    assert.deepEqual([status, body.error.code], [401, 'INVALID_TOKEN'])
  })

  test('GET /me/badge returns the total over all rooms', async () => {
    proves('GET /me/badge', 'result.badge', 'the total over all rooms')
    assert.deepEqual((await alice.call('GET', '/me/badge')).body.result, { badge: 17 })
  })
})
