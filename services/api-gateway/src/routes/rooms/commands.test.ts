import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

const help = { name: 'help', description: 'What I can do' }
const ban = { name: 'ban', description: '' }

describe('GET /rooms/{id}/commands', () => {
  let gateway: TestGateway
  let alice: TestUser
  let stranger: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, stranger] = [await gateway.newUser('alice'), await gateway.newUser('stranger')]
  })
  afterAll(() => gateway.stop())

  const save = (fields: object) => gateway.admin('POST', '/admin/clients', fields)

  test("lists the commands of the room's robots, to its members and the API key", async () => {
    const helper = await gateway.newUser('helper', { isRobot: true, commands: [help, { name: 'ban' }] })
    const banned = await gateway.newUser('banned robot', { isRobot: true, commands: [help] })
    const elsewhere = await gateway.newUser('elsewhere', { isRobot: true, commands: [help] })
    const person = await gateway.newUser('person', { commands: [help] })
    const room = await gateway.newRoom([alice, helper, banned, person], { owner: 'alice' })
    await gateway.newRoom([alice, elsewhere])
    await alice.call('POST', `/blockStatus/room/${room}/${encodeURIComponent(banned.id)}`)
    const list = async () => (await alice.call('GET', `/rooms/${room}/commands`)).body.result

    const robot = helper.id
    assert.deepEqual(await list(), [
      { ...ban, robot },
      { ...help, robot },
    ])
    assert.deepEqual((await gateway.admin('GET', `/rooms/${room}/commands`)).body.result, await list())
    const { body } = await save({ _id: robot, nickname: 'Helper' })
    assert.deepEqual(body.result.commands, [help, ban], 'a profile update without them leaves them')
    await save({ _id: robot, commands: [ban] })
    assert.deepEqual(await list(), [{ ...ban, robot }])
    await gateway.admin('POST', '/admin/clients/list', { data: [{ _id: robot, commands: [] }] })
    assert.deepEqual(await list(), [])

    const until = { untilMS: Date.now() + 3_600_000 }
    await alice.call('POST', `/blockStatus/room/${room}/${robot}`, until)
    await save({ _id: robot, commands: [ban] })
    assert.deepEqual(await list(), [])
    const { memberships } = gateway.chat.db
    await memberships.updateMany({ room, user: robot }, { $set: { blockedUntilMS: Date.now() } })
    assert.deepEqual(await list(), [{ ...ban, robot }], 'the ban has ended')

    for (const [user, of, code] of [
      [stranger, room, 'NOT_ROOM_MEMBER'],
      [alice, 'no room', 'ROOM_NOT_FOUND'],
    ] as const) {
      assert.equal((await user.call('GET', `/rooms/${of}/commands`)).body.error.code, code)
    }
  })

  test('invalid commands are refused, naming the field', async () => {
    for (const commands of [
      'help',
      [{ name: 'Hélp' }],
      [{ name: '' }],
      [{}],
      [help, help],
      Array.from({ length: 101 }, (_, i) => ({ name: `c${i}` })),
    ]) {
      const { status, body } = await save({ _id: 'helper', commands })
      assert.equal(status, 400)
      assert.match(JSON.stringify(body), /commands/)
    }
  })
})
