import assert from 'node:assert/strict'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { type CallApi, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { openMongoProxy } from '../../test-mongo-proxy.ts'

let gateway: TestGateway
const users: Record<string, TestUser> = {}
beforeAll(async () => {
  gateway = await startTestGateway()
  for (const id of ['owner', 'zoe', 'yan', 'amy', 'carl']) users[id] = await gateway.newUser(id)
})
afterAll(() => gateway.stop())

const user = (id: string) => users[id] as TestUser
const add = (room: string, invitees: string[], more = {}) =>
  gateway.admin('POST', `/rooms/${room}/members`, { invitees, ...more })
const take = (by: TestUser['call'], room: string, members: string[], more = {}) =>
  by('POST', `/rooms/${room}/delete/members`, { members, ...more })

/** A group of the owner; the others joined it one after the other. */
async function newRoom(...others: string[]): Promise<string> {
  const room = await gateway.newRoom([user('owner')], { owner: 'owner' })
  for (const other of others) await add(room, [other])
  return room
}

describe('when an owner leaves', () => {
  test('the longest-standing manager becomes the owner, and stops being a manager', async () => {
    const room = await newRoom('zoe', 'yan', 'amy')
    await gateway.admin('PUT', `/rooms/${room}`, { managers: ['amy', 'yan'] })
    const heard = await gateway.hear()
    const { body } = await take(user('owner').call, room, ['owner'])
    assert.deepEqual([body.result.owner, body.result.managers], ['yan', ['amy']])
    assert.partialDeepStrictEqual((await heard.next('room')).payload, { owner: 'yan', managers: ['amy'] })
    assert.equal((await user('yan').call('PUT', `/rooms/${room}`, { status: 0 })).status, 200)
  })

  test('without managers, the longest-standing member becomes the owner', async () => {
    const room = await newRoom('zoe', 'amy')
    assert.equal((await take(gateway.admin, room, ['owner'])).body.result.owner, 'zoe')
    assert.equal((await take(user('zoe').call, room, ['zoe'])).body.result.owner, 'amy')
    const { body } = await take(user('amy').call, room, ['amy'])
    assert.deepEqual([body.result.memberCount, body.result.owner], [0, undefined])
  })

  test('members removed with the owner are skipped', async () => {
    const room = await newRoom('zoe', 'yan', 'amy')
    await gateway.admin('PUT', `/rooms/${room}`, { managers: ['zoe'] })
    const { body } = await take(gateway.admin, room, ['owner', 'zoe', 'yan'])
    assert.deepEqual([body.result.owner, body.result.managers], ['amy', []])
  })

  test('a room without an owner stays without one', async () => {
    const room = await gateway.newRoom([user('zoe'), user('amy')])
    assert.equal('owner' in (await take(user('zoe').call, room, ['zoe'])).body.result, false)
  })

  test('erasing the owner has the same effect', async () => {
    const eve = await gateway.newUser()
    const room = await gateway.newRoom([eve], { owner: eve.id })
    await add(room, ['zoe'])
    await gateway.admin('DELETE', `/admin/clients/${eve.id}`)
    assert.equal((await user('zoe').call('GET', `/rooms/${room}`)).body.result.owner, 'zoe')
  })
})

describe('removedFromRoom', () => {
  for (const [what, by, out, who] of [
    ['leaving', () => user('zoe').call, ['zoe'], 'zoe'],
    ['being taken out', () => user('owner').call, ['zoe', 'amy'], 'owner'],
    ['being taken out by the API key', () => gateway.admin, ['amy'], null],
  ] as const) {
    test(`${what}: {room, by} to every removed user, and to no one else`, async () => {
      const room = await newRoom('zoe', 'amy')
      const heard = await gateway.hear()
      await take(by(), room, [...out])
      const removed = () => heard.events.filter(({ event }) => event === 'removedFromRoom')
      await vi.waitUntil(() => removed().length >= out.length, { timeout: 100_000 })
      // One too many would have been published with them.
      await gateway.admin('POST', '/messages', { room, sender: 'owner', message: 'x', messageType: 'text' })
      await heard.next('chat message')
      const events = removed()
      assert.deepEqual(
        new Set(events.map(({ to, payload }) => ({ to, payload }))),
        new Set(out.map((one) => ({ to: { app: gateway.app, user: one }, payload: { room, by: who } }))),
      )
      assert.equal(events.length, out.length)
    })
  }
})

describe('a pending invitation ends', () => {
  const join = (room: string) => user('carl').call('POST', `/rooms/${room}/join`, {})
  const closed = async (room: string) => {
    const { status, body } = await join(room)
    assert.deepEqual([status, body.error?.code], [403, 'ROOM_CLOSED'])
    assert.equal(await gateway.chat.db.invitations.countDocuments({ room }), 0)
  }

  test('when its user is added, so that it does not readmit them once they are removed', async () => {
    const room = await newRoom('zoe')
    await add(room, ['carl'], { invitationRequired: true })
    await add(room, ['carl'])
    assert.equal(await gateway.chat.db.invitations.countDocuments({ room }), 0)
    await take(user('owner').call, room, ['carl'])
    await closed(room)
  })

  test('when its user joins, also while the group is open', async () => {
    const room = await newRoom('zoe')
    await add(room, ['carl'], { invitationRequired: true })
    await gateway.admin('PUT', `/rooms/${room}`, { opening: 1 })
    assert.equal((await join(room)).status, 200)
    await gateway.admin('PUT', `/rooms/${room}`, { opening: 0 })
    await take(user('carl').call, room, ['carl'])
    await closed(room)
  })

  test('when its user is removed, whatever happened between', async () => {
    const room = await newRoom('zoe', 'carl')
    const { db } = gateway.chat
    const at = new Date()
    const invitation = { app: gateway.app, room, inviter: 'owner', invitee: 'carl', createdAt: at, updatedAt: at }
    await db.invitations.insertOne({ _id: `${gateway.app}\0${room}\0carl`, id: 'left over', ...invitation })
    await take(user('owner').call, room, ['carl'])
    await closed(room)
  })

  test('when its user becomes a member through another gateway during the invitation', async () => {
    const proxy = await openMongoProxy(Number(new URL((await testServers()).mongoUrl).port))
    const other = await gateway.another({
      mongoUrl: `mongodb://127.0.0.1:${proxy.port}/test?directConnection=true`,
    })
    const ways: ((room: string) => ReturnType<CallApi>)[] = [(room) => add(room, ['carl']), (room) => join(room)]
    for (const becomeMember of ways) {
      const room = await newRoom('zoe')
      await gateway.admin('PUT', `/rooms/${room}`, { opening: 1 })
      let joined = 0
      // The invitation has read its snapshot, from before.
      proxy.meet(['find', 'memberships', room], async () => {
        joined = (await becomeMember(room)).status
      })
      const invited = await other.admin('POST', `/rooms/${room}/members`, {
        invitees: ['carl'],
        invitationRequired: true,
      })
      assert.deepEqual([joined, invited.status, invited.body.result.invitations], [200, 200, []])
      assert.equal(await gateway.chat.db.invitations.countDocuments({ room }), 0)
    }
    await other.stop()
    await proxy.stop()
  })

  test('so that after 50 concurrent invitations, additions and removals over two gateways, removed users stay out', async () => {
    const other = await gateway.another()
    const room = await newRoom('zoe')
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const by = i % 2 ? gateway.admin : other.admin
        if (i % 5 === 4) return take(by, room, ['carl'])
        return by('POST', `/rooms/${room}/members`, { invitees: ['carl'], invitationRequired: i % 5 < 2 })
      }),
    )
    await add(room, ['carl'])
    await take(gateway.admin, room, ['carl'])
    await closed(room)
    await other.stop()
  })
})
