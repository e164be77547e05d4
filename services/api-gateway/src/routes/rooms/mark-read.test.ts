import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('PUT /rooms/:id/lastRead', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  const messages: string[] = []
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, bob] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
    room = await gateway.newRoom([alice, bob])
    for (const message of ['one', 'two', 'three']) {
      const body = { message, messageType: 'text' }
      messages.push((await alice.call('POST', `/rooms/${room}/message`, body)).body.result._id)
    }
  })
  afterAll(() => gateway.stop())

  const read = (i: number) => bob.call('PUT', `/rooms/${room}/lastRead`, { message: messages[i] })

  for (const [what, call, stands, unread] of [
    ['a message', 1, 1, 1],
    ['the same message again', 1, 1, 1],
    ['an older message', 0, 1, 1],
    ['the latest message', 2, 2, 0],
    ['the oldest message', 0, 2, 0],
  ] as const) {
    test(`${what}: the event and the result have the current marker`, async () => {
      const heard = await gateway.hear()
      const { status, body } = await read(call)
      const marker = { roomID: room, memberID: 'bob', messageID: messages[stands] }
      assert.deepEqual([status, body.result], [200, { ...marker, unread }])
      const { payload, to } = await heard.next('lastRead')
      assert.deepEqual([payload, to], [marker, { app: gateway.app, room }])
    })
  }

  test('the latest message: nothing after it is counted', async () => {
    const { mongo } = gateway.chat.db
    const other = await gateway.newRoom([alice, bob])
    const body = { message: 'one', messageType: 'text' }
    const message = (await alice.call('POST', `/rooms/${other}/message`, body)).body.result._id
    await mongo.command({ profile: 2, slowms: 0 })
    assert.equal((await bob.call('PUT', `/rooms/${other}/lastRead`, { message })).status, 200)
    await mongo.command({ profile: 0 })
    const found = await mongo.collection('system.profile').distinct('ns', { 'command.lsid': { $exists: true } })
    assert.ok(found.includes(`${mongo.databaseName}.memberships`))
    assert.ok(!found.includes(`${mongo.databaseName}.userDeletions`), found.join(', '))
  })

  test('after _all the marker moves to the last deleted message', async () => {
    const other = await gateway.newRoom([alice, bob])
    const sent: string[] = []
    for (const message of ['one', 'two']) {
      const body = { room: other, sender: 'alice', message, messageType: 'text' }
      sent.push((await gateway.admin('POST', '/messages', body)).body.result._id)
    }
    await gateway.admin('DELETE', `/rooms/${other}/messages/_all`)
    const heard = await gateway.hear()
    const { body } = await bob.call('PUT', `/rooms/${other}/lastRead`, { message: sent[0] })
    assert.deepEqual([body.result.messageID, body.result.unread], [sent[1], 0])
    assert.partialDeepStrictEqual((await heard.next('lastRead')).payload, { messageID: sent[1] })
  })
})
