import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe("a user group's ID is not a user ID", () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
    await gateway.admin('POST', '/admin/groups', { _id: 'team', nickname: 'Team', members: ['bob'] })
    room = await gateway.newRoom([alice], { owner: 'alice' })
  })
  afterAll(() => gateway.stop())

  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
  const bound = () => ({ token: 'of the team', expirationDate: inAnHour() })
  const message = { sender: 'team', message: 'x', messageType: 'text' }
  const admin = (...about: Parameters<TestGateway['admin']>) => gateway.admin(...about)

  const rows: [what: string, call: () => Promise<Answer>, status: number, code: string][] = [
    [
      'issue a token',
      () => admin('POST', '/admin/clients', { _id: 'team', issueAccessToken: true }),
      409,
      'USER_EXISTS',
    ],
    ['bind a token', () => admin('POST', '/admin/clients', { _id: 'team', ...bound() }), 409, 'USER_EXISTS'],
    [
      'assign a token',
      () => admin('POST', '/admin/clients', { _id: 'team', nickname: 'x', issueAccessToken: false, ...bound() }),
      409,
      'USER_EXISTS',
    ],
    ['update a profile', () => admin('POST', '/admin/clients', { _id: 'team', nickname: 'x' }), 409, 'USER_EXISTS'],
    [
      'save many users',
      () => admin('POST', '/admin/clients/list', { data: [{ _id: 'carl' }, { _id: 'team', nickname: 'x' }] }),
      409,
      'USER_EXISTS',
    ],
    ['PUT a token', () => admin('PUT', '/admin/clients/team/token', bound()), 404, 'CLIENT_NOT_FOUND'],
    ['revoke tokens', () => admin('DELETE', '/admin/clients/team/token', {}), 404, 'CLIENT_NOT_FOUND'],
    ['erase', () => admin('DELETE', '/admin/clients/team'), 404, 'CLIENT_NOT_FOUND'],
    ['mute', () => admin('POST', `/admin/clients/team/mute/${room}`), 404, 'CLIENT_NOT_FOUND'],
    ['unmute', () => admin('DELETE', `/admin/clients/team/mute/${room}`), 404, 'CLIENT_NOT_FOUND'],
    ['send', () => admin('POST', '/messages', { room, ...message }), 404, 'CLIENT_NOT_FOUND'],
    ['send in a room', () => admin('POST', `/rooms/${room}/message`, message), 404, 'CLIENT_NOT_FOUND'],
    ['edit', () => admin('POST', `/rooms/${room}/message`, { ...message, _id: 'x' }), 404, 'CLIENT_NOT_FOUND'],
    [
      'stream',
      () => admin('POST', `/rooms/${room}/aiStreaming`, { sender: 'team', text: 'x' }),
      404,
      'CLIENT_NOT_FOUND',
    ],
    ['ban', () => alice.call('POST', `/blockStatus/room/${room}/team`), 404, 'ROOM_OR_USER_NOT_FOUND'],
    ['unban', () => alice.call('DELETE', `/blockStatus/room/${room}/team`), 404, 'BLOCK_NOT_FOUND'],
    ['block', () => alice.call('POST', '/blockStatus/my/team'), 404, 'CLIENT_NOT_FOUND'],
    [
      'own a new room',
      () => admin('POST', '/rooms/', { roomType: 'group', members: ['alice', 'team'], owner: 'team' }),
      400,
      'INVALID_REQUEST',
    ],
    ['own a room', () => admin('PUT', `/rooms/${room}`, { owner: 'team' }), 400, 'INVALID_REQUEST'],
    ['manage a room', () => admin('PUT', `/rooms/${room}`, { managers: ['team'] }), 400, 'INVALID_REQUEST'],
    [
      'be made a manager',
      () => admin('PUT', `/rooms/${room}/member/team`, { property: 'role', value: 'admin' }),
      404,
      'CLIENT_NOT_FOUND',
    ],
    [
      'be taken out of a room without its members',
      () => admin('POST', `/rooms/${room}/delete/members`, { members: ['team'] }),
      404,
      'CLIENT_NOT_FOUND',
    ],
    [
      'be in another group',
      () => admin('POST', '/admin/groups', { nickname: 'x', members: ['team'] }),
      404,
      'CLIENT_NOT_FOUND',
    ],
  ]
  for (const [what, call, status, code] of rows) {
    test(`${what}: ${status} ${code}, and nothing changes`, async () => {
      const { db } = gateway.chat
      // The use of a token is noted a moment after it.
      const tokens = () => db.tokens.find({}, { projection: { lastUsedAt: 0 } }).toArray()
      const stored = () => Promise.all([db.users.find().toArray(), tokens(), db.bans.find().toArray()])
      const before = await stored()
      const answer = await call()
      assert.deepEqual([answer.status, answer.body.error?.code ?? answer.body.error], [status, code])
      assert.deepEqual(await stored(), before)
    })
  }

  test("a group's ID stands for those of its members who are in the room when members are removed", async () => {
    const [carol, dave, frank] = [
      await gateway.newUser('carol'),
      await gateway.newUser('dave'),
      await gateway.newUser('frank'),
    ]
    await gateway.newUser('erin')
    const choir = { _id: 'choir', nickname: 'Choir', members: ['carol', 'dave', 'erin'] }
    await admin('POST', '/admin/groups', choir)
    const hall = await gateway.newRoom([alice, carol, dave, frank], { owner: 'alice' })
    const remove = (members: string[], more = {}) =>
      admin('POST', `/rooms/${hall}/delete/members`, { members, ...more })
    const refused = await remove(['choir', 'erin'])
    assert.deepEqual([refused.status, refused.body.error.code], [404, 'CLIENT_NOT_FOUND'])
    assert.match(refused.body.error.message, /"erin"$/)
    const removed = await remove(['carol', 'choir', 'frank'], { systemMessage: true })
    assert.equal(removed.status, 200, JSON.stringify(removed.body))
    const left = removed.body.result.members.map(({ _id }: { _id: string }) => _id)
    assert.deepEqual(left, ['alice'])
    const { data } = (await alice.call('GET', `/rooms/${hall}/messages/v3?limit=1`)).body.result
    assert.deepEqual(data[0].message.members.toSorted(), ['carol', 'dave', 'frank'])
  })

  test("a manager cannot remove the owner by a group's ID", async () => {
    const club = await gateway.newRoom([alice, bob], { owner: 'bob' })
    await admin('PUT', `/rooms/${club}`, { managers: ['alice'] })
    const refused = await alice.call('POST', `/rooms/${club}/delete/members`, { members: ['team'] })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'INSUFFICIENT_PERMISSIONS'])
  })

  test('GET /admin/clients never shows a group, with any filter', async () => {
    const q = encodeURIComponent('{"_id":"team"}')
    assert.equal((await gateway.admin('GET', `/admin/clients?q=${q}`)).body.result.totalCount, 0)
  })
})
