import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Fields, type Platform, type RunningService, startPlatform } from '../platform.ts'

describe('every field of a User', () => {
  let platform: Platform
  let node: RunningService
  beforeAll(async () => {
    platform = await startPlatform()
    const proxies = { PARLEY_REALTIME_TRUSTED_PROXIES: '1' }
    ;[, node] = await Promise.all([platform.start('api-gateway'), platform.start('realtime', proxies)])
  })
  afterAll(() => platform.stop())

  const find = async (id: string): Promise<Fields> => {
    const q = encodeURIComponent(JSON.stringify({ _id: id }))
    const { data } = (await platform.admin('GET', `/admin/clients?q=${q}`)) as { data: [Fields] }
    return data[0]
  }

  test('is returned by GET /admin/clients and an update once the user has connected', async () => {
    proves('User', '_id', 'id', 'nickname', 'appID', 'description', 'email', 'avatarUrl', 'userAgent', 'isRobot')
    proves('User', 'updatedAt', 'lastJoinOrCreateRoomTime', 'lastLoginTimeMS', '__v')
    proves('User', 'address.family', 'address.address', 'address.port, left out where it is not known')
    proves('GET /admin/clients', 'result.data[].address', 'result.data[].userAgent', 'result.data[].lastLoginTimeMS')
    const startedMS = Date.now()
    const profile = { nickname: 'Alice', description: 'D', email: 'a@b.c', avatarUrl: 'https://a/a', isRobot: true }
    const alice = await platform.newUser('alice', profile)
    const before = await find('alice')
    assert.deepEqual([before['lastLoginTimeMS'], 'address' in before], [0, false])
    const room = await platform.newRoom(['alice'])
    const byProxy = { 'x-forwarded-for': '192.0.2.7', 'x-real-port': '50123' }
    const headers = { 'user-agent': 'Parley test/1.0', ...byProxy }
    const socket = await platform.connect(node, alice, { headers })
    await eventually('the login is noted', async () => (await find('alice'))['lastLoginTimeMS'])
    await alice.call('POST', `/me/mute/${room}`)
    const updated = await platform.admin('POST', '/admin/clients', { _id: 'alice', description: 'E' })
    socket.close()

    const { updatedAt, createdAt, lastLoginTimeMS, lastJoinOrCreateRoomTime, __v, ...rest } = updated
    assert.deepEqual(rest, {
      ...profile,
      ...{ _id: 'alice', id: 'alice', appID: platform.app, description: 'E', isAdmin: false, mute: [room] },
      address: { port: 50_123, family: 'IPv4', address: '192.0.2.7' },
      userAgent: 'Parley test/1.0',
    })
    for (const time of [updatedAt, createdAt, lastJoinOrCreateRoomTime]) {
      assert.ok(Date.parse(String(time)) >= startedMS && Date.parse(String(time)) <= Date.now(), String(time))
    }
    assert.ok(Number(lastLoginTimeMS) >= startedMS && Number(lastLoginTimeMS) <= Date.now())
    assert.ok(Number(__v) > Number(before['__v']), 'the internal revision increases')
    assert.deepEqual(await find('alice'), updated)
  })

  test('address.port is absent if unknown, as behind a proxy that omits it', async () => {
    const carol = await platform.newUser('carol')
    const socket = await platform.connect(node, carol, { headers: { 'x-forwarded-for': '2001:db8::7' } })
    const address = await eventually('the login is noted', async () => (await find('carol'))['address'])
    socket.close()
    assert.deepEqual(address, { family: 'IPv6', address: '2001:db8::7' })
  })

  test('email is present only if it was given', async () => {
    proves('User', 'email only if provided')
    await platform.newUser('bob')
    assert.equal('email' in (await find('bob')), false)
  })
})
