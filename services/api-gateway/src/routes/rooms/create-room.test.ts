import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('POST /rooms/ with an _id', () => {
  let gateway: TestGateway
  let other: TestGateway
  let alice: TestUser
  let bob: TestUser
  let carl: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    other = await gateway.another()
    ;[alice, bob, carl] = [await gateway.newUser('alice'), await gateway.newUser('bob'), await gateway.newUser('carl')]
  })
  afterAll(async () => {
    await other.stop()
    await gateway.stop()
  })

  const create = (body: object, by = gateway) => by.admin('POST', '/rooms/', body)
  const direct = (_id: string | undefined, a: TestUser, b: TestUser, by = gateway) =>
    create({ _id, roomType: 'direct', members: [a.id, b.id] }, by)
  function taken({ status, body }: Answer, _id: string): void {
    assert.deepEqual([status, body.RC, body.error?.code], [409, 409, 'ROOM_EXISTS'], JSON.stringify(body))
    assert.ok(body.error.message.includes(JSON.stringify(_id)), body.error.message)
  }
  /** 50 at once over both gateways. */
  const race = (one: (i: number, by: TestGateway) => Promise<Answer>) =>
    Promise.all(Array.from({ length: 50 }, (_, i) => one(i, i % 2 ? gateway : other)))

  test('of a room of the other type is 409 ROOM_EXISTS', async () => {
    await create({ _id: 'group 1', roomType: 'group', members: ['alice'] })
    taken(await direct('group 1', alice, bob), 'group 1')
    const made = await direct('direct 1', alice, bob)
    assert.deepEqual([made.status, made.body.result._id], [200, 'direct 1'])
    taken(await create({ _id: 'direct 1', roomType: 'group', members: ['alice', 'bob'] }), 'direct 1')
  })

  test('of a direct room returns it to the same pair in either order; another pair gets 409 ROOM_EXISTS', async () => {
    await direct('direct 2', alice, carl)
    for (const answer of [await direct('direct 2', alice, carl), await direct('direct 2', carl, alice)]) {
      assert.deepEqual([answer.status, answer.body.result._id], [200, 'direct 2'])
    }
    taken(await direct('direct 2', bob, carl), 'direct 2')
  })

  test("that is free returns the pair's existing direct room", async () => {
    const [one, two] = [await gateway.newUser(), await gateway.newUser()]
    const first = (await direct(undefined, one, two)).body.result._id
    assert.equal((await direct('another ID', one, two)).body.result._id, first)
    assert.equal(await gateway.chat.db.rooms.countDocuments({ id: 'another ID' }), 0)
  })

  test('of a deleted room is 409 ROOM_EXISTS', async () => {
    await create({ _id: 'gone', roomType: 'group', members: ['alice'] })
    await gateway.admin('DELETE', '/rooms/gone')
    taken(await create({ _id: 'gone', roomType: 'group', members: ['alice'] }), 'gone')
    const [one, two] = [await gateway.newUser(), await gateway.newUser()]
    await direct('gone too', one, two)
    await gateway.admin('DELETE', '/rooms/gone%20too')
    taken(await direct('gone too', one, two), 'gone too')
    assert.equal((await direct('a new one', one, two)).body.result._id, 'a new one')
  })

  test('50 at once over two gateways, of different pairs: one pair gets the room, the others 409 ROOM_EXISTS', async () => {
    const users = await Promise.all(Array.from({ length: 51 }, () => gateway.newUser()))
    const answers = await race((i, by) => direct('contested', users[0] as TestUser, users[i + 1] as TestUser, by))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers) if (answer.status !== 200) taken(answer, 'contested')
    assert.equal(await gateway.chat.db.memberships.countDocuments({ room: 'contested' }), 2)
  })

  test('50 at once over two gateways, as a group and as direct rooms: one type wins, the others get 409 ROOM_EXISTS', async () => {
    const [one, two] = [await gateway.newUser(), await gateway.newUser()]
    const answers = await race((i, by) =>
      i % 3 === 0
        ? direct('mixed', one, two, by)
        : create({ _id: 'mixed', roomType: 'group', members: [one.id, two.id] }, by),
    )
    const won = answers.filter(({ status }) => status === 200)
    assert.ok(won.length > 0)
    assert.equal(new Set(won.map(({ body }) => body.result.roomType)).size, 1)
    for (const answer of answers) if (answer.status !== 200) taken(answer, 'mixed')
  })

  test('50 at once over two gateways, each with its own _id for the same pair: all get one direct room', async () => {
    const [one, two] = [await gateway.newUser(), await gateway.newUser()]
    const answers = await race((i, by) => direct(`same pair ${i}`, one, two, by))
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
    assert.equal(new Set(answers.map(({ body }) => body.result._id)).size, 1)
  })

  test('several at once over one gateway create one room with one system message', async () => {
    const made = { _id: 'made once', roomType: 'group', members: ['alice', 'bob'], systemMessage: true }
    for (const { status } of await Promise.all(Array.from({ length: 10 }, () => create(made))))
      assert.equal(status, 200)
    const { body } = await alice.call('GET', '/rooms/made%20once/messages/v3')
    assert.equal(body.result.totalCount, 1, JSON.stringify(body))
  })

  test('of an existing group returns it unchanged, even if a named member no longer exists', async () => {
    const gone = await gateway.newUser('gone later')
    const made = { _id: 'with somebody gone', roomType: 'group', members: ['alice', gone.id], owner: gone.id }
    assert.equal((await create(made)).status, 200)
    assert.equal((await gateway.admin('DELETE', `/admin/clients/${encodeURIComponent(gone.id)}`)).status, 200)
    for (const again of [made, { ...made, members: ['nobody has this ID'] }]) {
      const { status, body } = await create(again)
      assert.deepEqual([status, body.result?._id, body.result?.memberCount], [200, 'with somebody gone', 1])
    }
  })

  test('accepts opening; a direct room has no owner; a group needs members', async () => {
    const open = await create({ roomType: 'group', members: ['alice'], opening: 1 })
    assert.equal(open.body.result.opening, 1)
    assert.equal((await bob.call('POST', `/rooms/${open.body.result._id}/join`, {})).status, 200)
    await gateway.admin('POST', '/admin/groups', { _id: 'nobody', nickname: 'x', members: [] })
    for (const [body, field] of [
      [{ roomType: 'direct', members: ['bob', 'carl'], owner: 'bob' }, /owner/],
      [{ roomType: 'group', members: ['nobody'] }, /members/],
      [{ roomType: 'group', members: ['alice'], opening: 2 }, /opening/],
    ] as const) {
      const answer = await create(body)
      assert.deepEqual([answer.status, answer.body.error?.code], [400, 'INVALID_REQUEST'])
      assert.match(answer.body.error.message, field)
    }
  })
})
