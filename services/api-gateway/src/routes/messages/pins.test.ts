import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('GET /rooms/{id}/pins', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, bob] = [await gateway.newUser('alice', { nickname: 'Alice' }), await gateway.newUser('bob')]
  })
  afterAll(() => gateway.stop())

  const newRoom = () => gateway.newRoom([alice, bob], { owner: 'alice' })
  const send = async (room: string, message: string, more = {}): Promise<string> => {
    const body = { room, sender: 'alice', message, messageType: 'text', ...more }
    return (await gateway.admin('POST', '/messages', body)).body.result._id
  }
  const pinned = async (room: string, message: string, more = {}) => {
    const id = await send(room, message, more)
    assert.equal((await alice.call('POST', `/messages/${id}/pin`)).status, 200)
    return id
  }
  const pins = async (user: TestUser, room: string, query = '') => {
    const { status, body } = await user.call('GET', `/rooms/${room}/pins${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result as { data: { message: string; sender: object; replyTo?: object }[]; beforeSeq?: number }
  }
  const texts = async (user: TestUser, room: string, query = '') =>
    (await pins(user, room, query)).data.map(({ message }) => message)

  test("returns the room's pinned messages of any age to its members, newest first", async () => {
    const room = await newRoom()
    const first = await pinned(room, 'first')
    await send(room, 'not pinned')
    await pinned(room, 'last', { replyTo: first })
    await pinned(await newRoom(), 'elsewhere')
    const { data, beforeSeq } = await pins(bob, room)
    assert.deepEqual([data.map(({ message }) => message), beforeSeq], [['last', 'first'], undefined])
    assert.partialDeepStrictEqual(data[0], { sender: { _id: 'alice', nickname: 'Alice' }, replyTo: { text: 'first' } })
    await alice.call('DELETE', `/messages/${first}/pin`)
    assert.deepEqual(await texts(bob, room), ['last'])
    const stranger = await gateway.newUser()
    for (const [path, status, code] of [
      [`/rooms/${room}/pins`, 403, 'NOT_ROOM_MEMBER'],
      ['/rooms/none/pins', 404, 'ROOM_NOT_FOUND'],
    ] as const) {
      const refused = await stranger.call('GET', path)
      assert.deepEqual([refused.status, refused.body.error.code], [status, code])
    }
  })

  test('omits messages deleted for all or by the caller, and those pinned in a thread', async () => {
    const room = await newRoom()
    const [gone, mine] = [await pinned(room, 'gone'), await pinned(room, 'mine')]
    await pinned(room, 'kept')
    await pinned(room, 'in a thread', { replyTo: mine, thread: true })
    await gateway.admin('DELETE', `/rooms/${room}/messages/${gone}`)
    await bob.call('POST', '/messages/user-delete', { room, messages: [mine] })
    assert.deepEqual(await texts(bob, room), ['kept'])
    assert.deepEqual(await texts(alice, room), ['kept', 'mine'])
    await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)
    assert.deepEqual(await texts(alice, room), [])
  })

  test('a recalled message is unpinned, and cannot be pinned again', async () => {
    const room = await newRoom()
    const id = await pinned(room, 'secret')
    await pinned(room, 'kept')
    const recalled = await alice.call('POST', `/rooms/${room}/message`, { _id: id, messageType: 'recall' })
    assert.equal(recalled.body.result.pinned, undefined)
    assert.deepEqual(await texts(bob, room), ['kept'])
    const refused = await bob.call('POST', `/messages/${id}/pin`)
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'INVALID_REQUEST'])
    assert.deepEqual(await texts(bob, room), ['kept'])
  })

  test('is paged; banned members can read it, even in a frozen room', async () => {
    const room = await newRoom()
    for (const message of ['1', '2', '3']) await pinned(room, message)
    await alice.call('POST', `/blockStatus/room/${room}/bob`)
    await alice.call('PUT', `/rooms/${room}`, { status: 0 })
    const { data, beforeSeq } = await pins(bob, room, '?limit=2')
    assert.deepEqual([data.map(({ message }) => message), beforeSeq], [['3', '2'], 2])
    assert.deepEqual(await texts(bob, room, `?limit=2&beforeSeq=${beforeSeq}`), ['1'])
    const { status, body } = await bob.call('GET', `/rooms/${room}/pins?limit=51`)
    assert.equal(status, 400)
    assert.match(body.error.message, /limit/)
  })
})
