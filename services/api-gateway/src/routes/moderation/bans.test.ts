import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

let gateway: TestGateway
let owner: TestUser
let bob: TestUser
let admin: TestUser
let stranger: TestUser

beforeAll(async () => {
  gateway = await startTestGateway()
  owner = await gateway.newUser('owner')
  bob = await gateway.newUser('b.o/b *>', { nickname: 'Bob', avatarUrl: 'https://a/b' })
  admin = await gateway.newUser('admin', { isAdmin: true })
  stranger = await gateway.newUser('stranger')
})
afterAll(() => gateway.stop())

const newRoom = () => gateway.newRoom([owner, bob, admin], { owner: 'owner' })
const at = (room: string, blockee: string) => `/blockStatus/room/${room}/${encodeURIComponent(blockee)}`
const ban = (by: TestUser, room: string, blockee = bob.id) => by.call('POST', at(room, blockee))
const unban = (by: TestUser, room: string, blockee = bob.id) => by.call('DELETE', at(room, blockee))
const send = (by: TestUser, room: string) =>
  by.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })

describe('POST /blockStatus/room/{roomID}/{blockee}', () => {
  test('ban: not banned → banned, by the owner, returns the Ban record', async () => {
    proves('POST /blockStatus/room/{roomID}/{blockee}', 'by the room owner', 'result is the Ban record')
    proves('Ban', 'appID', 'blockee._id', 'blockee.id', 'blockee.nickname', 'blockee.avatarUrl')
    proves('Ban', 'blockee.lastLoginTimeMS', 'blocker', 'room', 'createdAt', 'updatedAt')
    proves('Ban transitions', 'not banned → banned, the record has blocker and timestamps')
    const room = await newRoom()
    const { status, body } = await ban(owner, room)
    assert.equal(status, 200, JSON.stringify(body))
    const { createdAt, updatedAt, ...record } = body.result
    assert.deepEqual(record, {
      appID: gateway.app,
      blockee: { _id: bob.id, id: bob.id, nickname: 'Bob', avatarUrl: 'https://a/b', lastLoginTimeMS: 0 },
      blocker: 'owner',
      room,
    })
    assert.equal(createdAt, updatedAt)
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
  })

  test('ban: not banned → banned, by a platform admin', async () => {
    proves('POST /blockStatus/room/{roomID}/{blockee}', 'by a platform admin')
    assert.equal((await ban(admin, await newRoom())).body.result.blocker, 'admin')
  })

  test('ban: banned → banned is 409 USER_ALREADY_BLOCKED', async () => {
    proves('POST /blockStatus/room/{roomID}/{blockee}', '409 USER_ALREADY_BLOCKED')
    proves('Ban transitions', 'banned → banned: 409 USER_ALREADY_BLOCKED')
    const room = await newRoom()
    await ban(owner, room)
    refused(await ban(owner, room), 409, 'USER_ALREADY_BLOCKED')
    refused(await ban(admin, room), 409, 'USER_ALREADY_BLOCKED')
  })

  test('others, or a ban of oneself, of the owner, or in a direct room: 403 INSUFFICIENT_PERMISSIONS', async () => {
    proves('POST /blockStatus/room/{roomID}/{blockee}', '403 INSUFFICIENT_PERMISSIONS')
    const room = await newRoom()
    for (const by of [bob, stranger]) refused(await ban(by, room, 'admin'), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await ban(owner, room, 'owner'), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await ban(admin, room, 'owner'), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await ban(admin, room, 'admin'), 403, 'INSUFFICIENT_PERMISSIONS')
    const direct = await gateway.newRoom([owner, bob], { roomType: 'direct' })
    refused(await ban(admin, direct), 403, 'INSUFFICIENT_PERMISSIONS')
  })

  test('ban: not banned → banned, in a group without an owner: by a platform admin; the API key lifts it', async () => {
    const room = await gateway.newRoom([bob, admin])
    assert.equal((await ban(admin, room)).status, 200)
    refused(await send(bob, room), 403, 'USER_BLOCKED')
    assert.equal((await gateway.admin('DELETE', at(room, bob.id))).status, 200)
    assert.equal((await send(bob, room)).status, 200)
  })

  test('ban: not banned → banned, by the API key, leaves blocker empty', async () => {
    const room = await newRoom()
    const { status, body } = await gateway.admin('POST', at(room, bob.id))
    assert.deepEqual([status, body.result.blocker], [200, ''])
    refused(await send(bob, room), 403, 'USER_BLOCKED')
    refused(await gateway.admin('POST', at(room, bob.id)), 409, 'USER_ALREADY_BLOCKED')
    refused(await gateway.admin('POST', at(room, 'owner')), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await gateway.admin('POST', at('none', bob.id)), 404, 'ROOM_OR_USER_NOT_FOUND')
    refused(await gateway.anonymous('POST', at(room, bob.id), undefined, { 'im-api-key': 'x' }), 401, 'INVALID_API_KEY')
  })

  test('a missing room or user is 404 ROOM_OR_USER_NOT_FOUND, a bad token 401 INVALID_TOKEN', async () => {
    proves('POST /blockStatus/room/{roomID}/{blockee}', '404 ROOM_OR_USER_NOT_FOUND', '401 INVALID_TOKEN')
    refused(await ban(owner, 'none'), 404, 'ROOM_OR_USER_NOT_FOUND')
    refused(await ban(owner, await newRoom(), 'nobody'), 404, 'ROOM_OR_USER_NOT_FOUND')
    const wrong = { 'im-authorization': 'wrong' }
    refused(await owner.call('POST', at('x', 'y'), undefined, wrong), 401, 'INVALID_TOKEN')
  })

  test('a banned user can read but not send, edit, react or emit typing there: 403 USER_BLOCKED', async () => {
    proves('POST /blockStatus/room/{roomID}/{blockee}', 'applies to that room only')
    proves('POST /blockStatus/room/{roomID}/{blockee}', 'takes effect immediately: the banned cannot send there')
    const room = await newRoom()
    const elsewhere = await newRoom()
    const { _id } = (await send(bob, room)).body.result
    await ban(owner, room)
    refused(await send(bob, room), 403, 'USER_BLOCKED')
    refused(await bob.call('POST', `/rooms/${room}/message`, { _id, message: 'y' }), 403, 'USER_BLOCKED')
    refused(await bob.call('POST', `/messages/${_id}/reaction`, { reaction: '+' }), 403, 'USER_BLOCKED')
    refused(await bob.call('POST', `/rooms/${room}/typing`, { message: 'y' }), 403, 'USER_BLOCKED')
    assert.equal((await bob.call('GET', `/rooms/${room}/messages/v3`)).status, 200)
    await send(owner, room)
    assert.equal((await bob.call('GET', '/me/badge')).body.result.badge, 1)
    assert.equal((await send(bob, elsewhere)).status, 200)
  })

  test('a ban during sends over two gateways applies to everything after it', async () => {
    const other = await gateway.another()
    const room = await newRoom()
    const sends = Array.from({ length: 60 }, (_, i) => {
      const by = i % 2 ? gateway : other
      return by.admin('POST', '/messages', { room, sender: bob.id, message: i, messageType: 'text' })
    })
    await ban(owner, room)
    refused(await send(bob, room), 403, 'USER_BLOCKED')
    for (const { status, body } of await Promise.all(sends)) {
      if (status !== 200) assert.equal(body.error.code, 'USER_BLOCKED')
    }
    await other.stop()
  })

  test('the same ban 50 times at once over two gateways is made once; the others get 409 USER_ALREADY_BLOCKED', async () => {
    const other = await gateway.another()
    const room = await newRoom()
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': owner.token }
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 ? gateway : other).anonymous('POST', at(room, bob.id), undefined, headers),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers) if (answer.status !== 200) refused(answer, 409, 'USER_ALREADY_BLOCKED')
    assert.equal((await owner.call('GET', `/blockStatus/room/${room}`)).body.result.length, 1)
    await other.stop()
  })

  test('a user being added or joining is banned by a concurrent ban over another gateway', async () => {
    const other = await gateway.another()
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': stranger.token }
    for (let i = 0; i < 10; i++) {
      const room = await gateway.newRoom([owner, bob], { owner: 'owner', opening: 1 })
      const enter =
        i % 2 === 0
          ? gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['stranger'] })
          : gateway.anonymous('POST', `/rooms/${room}/join`, {}, headers)
      const [entered, banned] = await Promise.all([enter, other.admin('POST', at(room, 'stranger'))])
      assert.equal(banned.status, 200, JSON.stringify(banned.body))
      // A user banned before does not join.
      if (entered.status !== 200) refused(entered, 403, 'USER_BLOCKED')
      else refused(await send(stranger, room), 403, 'USER_BLOCKED')
    }
    await other.stop()
  })

  test('a non-member can be banned, and stays banned after joining', async () => {
    const room = await newRoom()
    assert.equal((await ban(owner, room, 'stranger')).status, 200)
    const { db } = gateway.chat
    assert.equal(await db.bans.countDocuments({ room, blockee: 'stranger' }), 1)
  })
})

describe('DELETE /blockStatus/room/{roomID}/{blockee}', () => {
  test('ban: banned → not banned: updatedAt is the time of the unban, and they can send again', async () => {
    proves('DELETE /blockStatus/room/{roomID}/{blockee}', 'by the room owner', 'result is the Ban record')
    proves('Ban transitions', 'banned → not banned, updatedAt is the unban time')
    const room = await newRoom()
    const banned = (await ban(admin, room)).body.result
    const unbannedFrom = new Date().toISOString()
    const { status, body } = await unban(owner, room)
    assert.equal(status, 200)
    const { updatedAt, ...record } = body.result
    const { updatedAt: _bannedAt, ...wanted } = banned
    assert.deepEqual(record, wanted)
    assert.ok(updatedAt >= unbannedFrom && updatedAt <= new Date().toISOString(), updatedAt)
    assert.equal((await send(bob, room)).status, 200)
    assert.equal((await ban(owner, room)).status, 200)
  })

  test('ban: not banned → not banned is 404 BLOCK_NOT_FOUND', async () => {
    proves('DELETE /blockStatus/room/{roomID}/{blockee}', '404 BLOCK_NOT_FOUND')
    proves('Ban transitions', 'not banned → not banned: 404 BLOCK_NOT_FOUND')
    refused(await unban(owner, await newRoom()), 404, 'BLOCK_NOT_FOUND')
    refused(await gateway.admin('DELETE', at(await newRoom(), bob.id)), 404, 'BLOCK_NOT_FOUND')
    refused(await unban(owner, 'none'), 404, 'BLOCK_NOT_FOUND')
  })

  test('by a platform admin or anybody else it is 403 INSUFFICIENT_PERMISSIONS', async () => {
    proves('DELETE /blockStatus/room/{roomID}/{blockee}', '403 INSUFFICIENT_PERMISSIONS')
    const room = await newRoom()
    await ban(owner, room)
    for (const by of [admin, bob, stranger]) refused(await unban(by, room), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await send(bob, room), 403, 'USER_BLOCKED')
  })

  test('an invalid user ID is 400 INVALID_USER_ID', async () => {
    proves('DELETE /blockStatus/room/{roomID}/{blockee}', '400 INVALID_USER_ID')
    refused(await unban(owner, await newRoom(), 'a\nb'), 400, 'INVALID_USER_ID')
    refused(await unban(owner, await newRoom(), 'x'.repeat(129)), 400, 'INVALID_USER_ID')
  })
})

describe('GET /blockStatus/room/{roomID}', () => {
  test('lists the active bans, for members', async () => {
    const room = await newRoom()
    await ban(owner, room)
    await ban(owner, room, 'stranger')
    await unban(owner, room, 'stranger')
    const { body } = await bob.call('GET', `/blockStatus/room/${room}`)
    assert.deepEqual(
      body.result.map(({ blockee }: { blockee: { _id: string } }) => blockee._id),
      [bob.id],
    )
    refused(await stranger.call('GET', `/blockStatus/room/${room}`), 403, 'NOT_ROOM_MEMBER')
    refused(await owner.call('GET', '/blockStatus/room/none'), 404, 'ROOM_NOT_FOUND')
  })
})

describe('/blockStatus/my', () => {
  const my = (by: TestUser, method: 'POST' | 'DELETE', blockee: string) =>
    by.call(method, `/blockStatus/my/${encodeURIComponent(blockee)}`)

  test('a blocked user cannot send to the direct room, old or new, until the block is lifted', async () => {
    const [eve, joe] = [await gateway.newUser(), await gateway.newUser()]
    const made = await my(eve, 'POST', joe.id)
    assert.equal(made.status, 200)
    assert.partialDeepStrictEqual(made.body.result, { blocker: eve.id, blockee: { _id: joe.id } })
    refused(await my(eve, 'POST', joe.id), 409, 'USER_ALREADY_BLOCKED')
    const direct = await gateway.newRoom([eve, joe], { roomType: 'direct' })
    refused(await send(joe, direct), 403, 'USER_BLOCKED')
    assert.equal((await send(eve, direct)).status, 200)
    const group = await gateway.newRoom([eve, joe])
    assert.equal((await send(joe, group)).status, 200)
    assert.equal((await eve.call('GET', '/blockStatus/my')).body.result.length, 1)
    assert.equal((await my(eve, 'DELETE', joe.id)).status, 200)
    assert.equal((await send(joe, direct)).status, 200)
    await my(joe, 'POST', eve.id)
    refused(await send(eve, direct), 403, 'USER_BLOCKED')
    assert.deepEqual((await eve.call('GET', '/blockStatus/my')).body.result, [])
    refused(await my(eve, 'DELETE', joe.id), 404, 'BLOCK_NOT_FOUND')
  })

  test('blocking while the direct room is created leaves the room blocked', async () => {
    for (let i = 0; i < 10; i++) {
      const [eve, joe] = [await gateway.newUser(), await gateway.newUser()]
      const [direct] = await Promise.all([gateway.newRoom([eve, joe], { roomType: 'direct' }), my(eve, 'POST', joe.id)])
      refused(await send(joe, direct), 403, 'USER_BLOCKED')
    }
  })

  test('the caller is 403 INSUFFICIENT_PERMISSIONS, an unknown user 404 CLIENT_NOT_FOUND', async () => {
    refused(await my(bob, 'POST', bob.id), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await my(bob, 'POST', 'nobody'), 404, 'CLIENT_NOT_FOUND')
  })
})

describe('the lists of bans, blocks and preferences', () => {
  test('are returned whole, or as a page with skip and limit', async () => {
    const names = ['a', 'b', 'c']
    const eve = await gateway.newUser()
    const others = await Promise.all(names.map((name) => gateway.newUser(`page ${name}`)))
    const room = await gateway.newRoom([eve, ...others], { owner: eve.id })
    for (const [i, { id }] of others.entries()) {
      assert.equal((await ban(eve, room, id)).status, 200)
      assert.equal((await eve.call('POST', `/blockStatus/my/${encodeURIComponent(id)}`)).status, 200)
      assert.equal((await eve.call('POST', `/me/pref/${names[i]}`, { data: i })).status, 200)
    }
    const blockees = (list: { blockee: { _id: string } }[]) => list.map(({ blockee }) => blockee._id.slice(-1))
    const lists: [path: string, read: (result: never) => string[]][] = [
      [`/blockStatus/room/${room}`, blockees],
      ['/blockStatus/my', blockees],
      ['/me/pref', Object.keys],
    ]
    for (const [path, read] of lists) {
      const page = async (query: string) => read((await eve.call('GET', `${path}${query}`)).body.result as never)
      assert.deepEqual(await page(''), names, path)
      assert.deepEqual([await page('?limit=2'), await page('?skip=2&limit=2')], [['a', 'b'], ['c']], path)
      for (const wrong of ['limit=0', 'limit=501', 'skip=-1', 'skip=x']) {
        const answer = await eve.call('GET', `${path}?${wrong}`)
        refused(answer, 400, 'INVALID_QUERY')
        assert.match(answer.body.error.message, new RegExp(`^${wrong.split('=')[0]}`))
      }
    }
  })
})
