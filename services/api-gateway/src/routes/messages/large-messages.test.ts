import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { insist, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('large messages to many rooms at once', () => {
  let gateway: TestGateway
  let other: TestGateway
  let alice: TestUser
  let rooms: string[]

  beforeAll(async () => {
    gateway = await startTestGateway()
    other = await gateway.another()
    alice = await gateway.newUser('alice')
    rooms = await Promise.all(Array.from({ length: 24 }, () => gateway.newRoom([alice])))
  })
  afterAll(async () => {
    await other?.stop()
    await gateway?.stop()
  })

  test('are each stored once, in order, while another gateway also sends', async () => {
    const text = 'large '.repeat(4_000)
    const send = (via: TestGateway, number: number, message: string) =>
      insist(() =>
        via.admin('POST', '/messages', {
          ...{ room: rooms[number % rooms.length], sender: 'alice', message, messageType: 'text' },
          clientMessageID: `message ${number}`,
        }),
      )
    const numbers = Array.from({ length: 120 }, (_, i) => i)
    const sent = await Promise.all(
      numbers.map((number) => (number % 5 === 4 ? send(other, number, 'small') : send(gateway, number, text))),
    )
    for (const { status, body } of sent) assert.equal(status, 200, JSON.stringify(body))
    for (const [i, room] of rooms.entries()) {
      const path = `/rooms/${room}/messages/v3?limit=100&timeRangeField=createdAt&afterTime=0`
      const { data } = (await alice.call('GET', path)).body.result
      const own = sent.filter((_, number) => number % rooms.length === i).map(({ body }) => body.result)
      assert.deepEqual(
        data.map(({ _id, seq, message }: { _id: string; seq: number; message: string }) => [_id, seq, message]),
        own.toSorted((a, b) => a.seq - b.seq).map(({ _id, message }, place) => [_id, place + 1, message]),
      )
    }
  })
})
