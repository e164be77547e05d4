import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

/** `unread.test.ts` also verifies each count of its random histories with it. */
describe('GET /admin/clients/{client_id}/badge', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string

  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser()
    bob = await gateway.newUser('bob & co')
    room = await gateway.newRoom([alice, bob])
  })
  afterAll(() => gateway.stop())

  const send = async (from: TestUser, to = room): Promise<string> => {
    const body = { message: 'x', messageType: 'text' }
    return (await from.call('POST', `/rooms/${to}/message`, body)).body.result._id
  }
  const ask = async (query = '', of = bob.id) => {
    const answer = await gateway.admin('GET', `/admin/clients/${encodeURIComponent(of)}/badge?${query}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result
  }

  test('returns the parts of the badge per room: seq, read marker, and own, deleted or recalled, and hidden counts', async () => {
    const ids = []
    for (let i = 0; i < 7; i++) ids.push(await send(alice))
    await bob.call('PUT', `/rooms/${room}/lastRead`, { message: ids[1] })
    await send(bob)
    await bob.call('POST', '/messages/user-delete', { room, messages: [ids[2], ids[3]] })
    await gateway.admin('DELETE', `/rooms/${room}/messages/${ids[3]}`)
    await alice.call('POST', `/rooms/${room}/message`, { _id: ids[4], messageType: 'recall' })
    const other = await gateway.newRoom([alice, bob])
    await send(alice, other)
    assert.deepEqual(await ask(), {
      client: bob.id,
      badge: 3,
      totalCount: 2,
      data: [
        { room, seq: 8, readSeq: 2, uncounted: 4, own: 1, deleted: 2, hidden: 1, unread: 2 },
        { room: other, seq: 1, readSeq: 0, uncounted: 0, own: 0, deleted: 0, hidden: 0, unread: 1 },
      ],
    })
    assert.equal((await bob.call('GET', '/me/badge')).body.result.badge, 3)
  })

  test('with verify=true compares the badge with the messages, and reports disagreement', async () => {
    const one = await gateway.newRoom([alice, bob])
    await send(alice, one)
    await send(bob, one)
    await gateway.chat.flusher.drained()
    const of = (sum: { data: { room: string }[] }) => sum.data.find((each) => each.room === one)
    const right = await ask('verify=true')
    assert.deepEqual([right.agrees, right.notVerified], [true, 0])
    const same = { room: one, seq: 2, readSeq: 0, own: 1, deleted: 0, hidden: 0, countedUnread: 1 }
    assert.deepEqual(of(right), { ...same, uncounted: 1, unread: 1, agrees: true })

    await gateway.chat.db.memberships.updateOne({ _id: key(gateway.app, one, bob.id) }, { $set: { uncounted: 0 } })
    const wrong = await ask('verify=true')
    assert.equal(wrong.agrees, false)
    assert.deepEqual(of(wrong), { ...same, uncounted: 0, unread: 2, agrees: false })
  })

  test('counts at most 200,000 messages per call, and reports the rest as not verified', async () => {
    const carol = await gateway.newUser()
    const large = await gateway.newRoom([alice, carol])
    const small = await gateway.newRoom([alice, carol])
    await send(alice, small)
    await gateway.chat.db.rooms.updateOne({ _id: key(gateway.app, large) }, { $set: { seq: 200_001 } })
    const queries = vi.spyOn(gateway.chat.limits, 'queries')
    const sum = await ask('verify=true', carol.id)
    assert.deepEqual(
      queries.mock.calls.map(([by]) => by),
      [{ app: gateway.app }],
      'a few at a time per app',
    )
    queries.mockRestore()
    assert.deepEqual([sum.badge, sum.notVerified, sum.agrees], [200_002, 1, true])
    const left = { room: large, seq: 200_001, readSeq: 0, uncounted: 0, unread: 200_001 }
    assert.deepEqual(sum.data[0], left)
    assert.equal(sum.data[1].agrees, true)
  })

  test('pages rooms by unread count, highest first; the badge covers all rooms', async () => {
    const dave = await gateway.newUser()
    const rooms = [await gateway.newRoom([alice, dave]), await gateway.newRoom([alice, dave])]
    for (let i = 0; i < 3; i++) await send(alice, rooms[i % 2])
    const [first, second] = [await ask('limit=1', dave.id), await ask('limit=1&skip=1', dave.id)]
    assert.deepEqual([first.data[0].room, first.data[0].unread, first.badge, first.totalCount], [rooms[0], 2, 3, 2])
    assert.deepEqual([second.data[0].room, second.data[0].unread, second.badge], [rooms[1], 1, 3])
  })

  test('requires an API key, and covers only users of its app', async () => {
    const other = await startTestGateway()
    try {
      for (const [via, of] of [
        [other, alice.id],
        [gateway, 'nobody'],
      ] as const) {
        const { status, body } = await via.admin('GET', `/admin/clients/${of}/badge`)
        assert.deepEqual([status, body.error.code], [404, 'CLIENT_NOT_FOUND'])
      }
      assert.equal((await alice.call('GET', `/admin/clients/${alice.id}/badge`)).status, 401)
      await other.newUser(alice.id)
      const { result } = (await other.admin('GET', `/admin/clients/${alice.id}/badge?verify=true`)).body
      assert.deepEqual([result.badge, result.data], [0, []], 'nothing of a user of the same ID here')
    } finally {
      await other.stop()
    }
  })
})
