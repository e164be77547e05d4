import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

let gateway: TestGateway
let alice: TestUser
let stranger: TestUser
let room: string
const phone = { 'im-device-id': 'phone' }

beforeAll(async () => {
  gateway = await startTestGateway()
  alice = await gateway.newUser('a l/ice')
  stranger = await gateway.newUser('stranger')
  room = await gateway.newRoom([alice], { _id: 'r o/om' })
})
afterAll(() => gateway.stop())

const inUrl = encodeURIComponent
const pref = async () => (await alice.call('GET', '/rooms')).body.result.data[0]

describe('DELETE /admin/clients/{uid}/mute/{room}', () => {
  const path = (uid = alice.id, of = room) => `/admin/clients/${inUrl(uid)}/mute/${inUrl(of)}`

  test('room mute: muted → unmuted returns the updated User, immediately and persistently', async () => {
    proves('DELETE /admin/clients/{uid}/mute/{room}', 'result is the updated User', '?limit', '?skip')
    proves('DELETE /admin/clients/{uid}/mute/{room}', 'limit and skip have no effect')
    proves('User', 'mute')
    proves('Room mute transitions', 'muted → unmuted, removed from mute at once and for good')
    const muted = await gateway.admin('POST', path())
    assert.deepEqual([muted.status, muted.body.result.mute], [200, [room]])
    assert.deepEqual([(await pref()).muted, (await pref()).pref.muted], [true, true])
    const { status, body } = await gateway.admin('DELETE', `${path()}?limit=3&skip=x`)
    assert.deepEqual([status, body.result._id, body.result.mute], [200, alice.id, []])
    assert.deepEqual([(await pref()).muted, (await pref()).pref.muted], [false, false])
  })

  test('of 20 concurrent unmutes one succeeds, and the others get 400 ROOM_NOT_MUTED', async () => {
    for (const [mute, unmute] of [
      [() => gateway.admin('POST', path()), () => gateway.admin('DELETE', path())],
      [() => alice.call('POST', `/me/mute/${inUrl(room)}`), () => alice.call('DELETE', `/me/mute/${inUrl(room)}`)],
    ] as const) {
      assert.equal((await mute()).status, 200)
      const answers = await Promise.all(Array.from({ length: 20 }, unmute))
      const codes = answers.map(({ status, body }) => String(body.error?.code ?? status)).toSorted()
      assert.deepEqual(codes, ['200', ...Array.from({ length: 19 }, () => 'ROOM_NOT_MUTED')])
    }
  })

  test('room mute: unmuted → unmuted is 400 ROOM_NOT_MUTED', async () => {
    proves('DELETE /admin/clients/{uid}/mute/{room}', '400 ROOM_NOT_MUTED')
    proves('Room mute transitions', 'unmuted → unmuted: 400 ROOM_NOT_MUTED')
    refused(await gateway.admin('DELETE', path()), 400, 'ROOM_NOT_MUTED')
    refused(await gateway.admin('DELETE', path('stranger')), 400, 'ROOM_NOT_MUTED')
  })

  test('404 CLIENT_NOT_FOUND, 404 ROOM_NOT_FOUND, 401 INVALID_API_KEY', async () => {
    proves('DELETE /admin/clients/{uid}/mute/{room}', '404 CLIENT_NOT_FOUND', '404 ROOM_NOT_FOUND')
    proves('DELETE /admin/clients/{uid}/mute/{room}', '401 INVALID_API_KEY')
    refused(await gateway.admin('DELETE', path('nobody')), 404, 'CLIENT_NOT_FOUND')
    refused(await gateway.admin('DELETE', path(alice.id, 'none')), 404, 'ROOM_NOT_FOUND')
    refused(await gateway.anonymous('DELETE', path()), 401, 'INVALID_API_KEY')
  })

  test('a non-member is 403 NOT_ROOM_MEMBER', async () => {
    refused(await gateway.admin('POST', path('stranger')), 403, 'NOT_ROOM_MEMBER')
  })
})

describe('a deleted room', () => {
  test('is in no mute list, and cannot be removed from one', async () => {
    const other = await gateway.newRoom([alice, stranger])
    for (const by of [alice, stranger]) await by.call('POST', `/me/mute/${other}`)
    const lists = async () => [
      (await alice.call('GET', '/me')).body.result.mute,
      (await gateway.admin('GET', '/admin/clients')).body.result.data.map(({ mute }: { mute: string[] }) => mute),
      (await gateway.admin('POST', '/admin/clients', { _id: 'stranger', nickname: 'S' })).body.result.mute,
    ]
    assert.deepEqual(await lists(), [[other], [[other], [other]], [other]])
    await gateway.admin('DELETE', `/rooms/${other}`)
    assert.deepEqual(await lists(), [[], [[], []], []])
    refused(await gateway.admin('DELETE', `/admin/clients/stranger/mute/${other}`), 404, 'ROOM_NOT_FOUND')
  })
})

describe('/me/mute/{room}', () => {
  const path = (of = room) => `/me/mute/${inUrl(of)}`

  test('adds and removes the mute of the room, equal to pref.muted, and emits roomPref to the other devices', async () => {
    const heard = await gateway.hear()
    assert.deepEqual((await alice.call('POST', path(), undefined, phone)).body.result.mute, [room])
    assert.deepEqual((await alice.call('POST', path())).body.result.mute, [room])
    const { payload, incoming } = await heard.next('roomPref')
    assert.partialDeepStrictEqual(payload, { room, muted: true })
    assert.equal(incoming.exceptDevice, 'phone')
    assert.equal((await pref()).pref.muted, true)
    assert.deepEqual((await alice.call('GET', '/me')).body.result.mute, [room])
    assert.deepEqual((await alice.call('DELETE', path())).body.result.mute, [])
    refused(await alice.call('DELETE', path()), 400, 'ROOM_NOT_MUTED')
  })

  test('errors', async () => {
    refused(await alice.call('POST', path('none')), 404, 'ROOM_NOT_FOUND')
    refused(await stranger.call('POST', path()), 403, 'NOT_ROOM_MEMBER')
  })
})

describe('POST /roomPrefs/{room}', () => {
  const set = (body: object, by = alice, of = room) => by.call('POST', `/roomPrefs/${inUrl(of)}`, body, phone)

  test('sets the given fields, returns the pref with room, and emits roomPref to the other devices', async () => {
    proves('RoomPref', 'tags', 'tagColors', 'hidden', 'sticky', 'muted', 'folder')
    const heard = await gateway.hear()
    const first = { tags: ['work', '$a.b'], tagColors: { work: '#ff0000', '$a.b': '#fff' }, sticky: true }
    assert.deepEqual((await set(first)).body.result, { room, hidden: false, muted: false, folder: '', ...first })
    const { body } = await set({ folder: 'f', hidden: true })
    const wanted = { room, muted: false, ...first, folder: 'f', hidden: true }
    assert.deepEqual(body.result, wanted)
    const { payload, to, incoming } = await heard.next('roomPref', ({ folder }: { folder: string }) => folder === 'f')
    assert.deepEqual(payload, wanted)
    assert.deepEqual([to, incoming.exceptDevice], [{ app: gateway.app, user: alice.id }, 'phone'])
    const { room: _room, ...shown } = wanted
    assert.deepEqual((await pref()).pref, shown)
    const filter = inUrl(JSON.stringify({ tags: '$a.b' }))
    assert.equal((await alice.call('GET', `/rooms?pref=${filter}`)).body.result.totalCount, 1)
  })

  test('a tag with a colour can have the name of an Object.prototype member', async () => {
    const heard = await gateway.hear()
    const colours = '{"__proto__":"#ff0000","constructor":"#FFF"}'
    const { status, body } = await alice.call('POST', `/roomPrefs/${inUrl(room)}`, `{"tagColors":${colours}}`)
    assert.deepEqual([status, JSON.stringify(body.result?.tagColors)], [200, colours])
    const { payload } = await heard.next('roomPref')
    assert.equal(JSON.stringify((payload as { tagColors: object }).tagColors), colours)
    assert.equal(JSON.stringify((await pref()).pref.tagColors), colours)
    const matching = async (tagColors: string) => {
      const filter = inUrl(`{"tagColors":${tagColors}}`)
      return (await alice.call('GET', `/rooms?pref=${filter}`)).body.result?.totalCount
    }
    assert.deepEqual([await matching(colours), await matching('{"constructor":"#FFF"}')], [1, 0])
  })

  test('muted equals the mute of /me/mute', async () => {
    await set({ muted: true })
    assert.deepEqual((await alice.call('GET', '/me')).body.result.mute, [room])
    await set({ muted: false })
  })

  test('errors', async () => {
    refused(await set({ color: 'x' }), 400, 'INVALID_REQUEST')
    for (const wrong of [{ a: 'red' }, { a: 5 }, { '': '#fff' }, { ['x'.repeat(129)]: '#fff' }, ['#fff'], '#fff']) {
      refused(await set({ tagColors: wrong }), 400, 'INVALID_REQUEST')
    }
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`t${i}`, '#fff']))
    refused(await set({ tagColors: many }), 400, 'INVALID_REQUEST')
    refused(await alice.call('GET', `/rooms?pref=${inUrl('{"tagColors":"#fff"}')}`), 400, 'INVALID_QUERY')
    refused(await set({ sticky: 'yes' }), 400, 'INVALID_REQUEST')
    refused(await set({ sticky: true }, stranger), 403, 'NOT_ROOM_MEMBER')
    refused(await set({ sticky: true }, alice, 'none'), 404, 'ROOM_NOT_FOUND')
  })
})
