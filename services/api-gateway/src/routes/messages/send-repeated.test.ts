import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startWithAliceAndBob, type TestGateway, type TestUser } from '../../test-gateway.ts'

let gateway: TestGateway
let other: TestGateway
let alice: TestUser
let bob: TestUser

beforeAll(async () => {
  ;({ gateway, alice, bob } = await startWithAliceAndBob())
  other = await gateway.another()
})
afterAll(async () => {
  await other.stop()
  await gateway.stop()
})

describe('a repeated send', () => {
  const whole = (room: string, more: object = {}) => ({
    room,
    sender: 'alice',
    message: 'x',
    messageType: 'text',
    ...more,
  })

  test('50 times at once over two gateways with one Idempotency-Key is one message and one event', async () => {
    const room = await gateway.newRoom([alice, bob])
    const heard = await gateway.hear()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 ? gateway : other).admin('POST', '/messages', whole(room), { 'idempotency-key': 'key 1' }),
      ),
    )
    const ids = new Set(answers.map(({ status, body }) => `${status} ${body.result?._id}`))
    assert.equal(ids.size, 1, [...ids].join(', '))
    const { totalCount } = (await bob.call('GET', `/rooms/${room}/messages/v3`)).body.result
    assert.equal(totalCount, 1)
    const { body } = await bob.call('GET', '/rooms')
    assert.equal(body.result.data.find(({ _id }: { _id: string }) => _id === room).unread, 1)
    // After the next message, no second event can still be on its way.
    const next = await gateway.admin('POST', '/messages', whole(room))
    await heard.next('chat message', ({ _id }: { _id: string }) => _id === next.body.result._id)
    await Promise.all([gateway.chat.outbox.drained(), other.chat.outbox.drained()])
    assert.equal(heard.events.filter(({ event }) => event === 'chat message').length, 2)
  })

  test('with one clientMessageID behaves likewise, for clients too, and the message carries it', async () => {
    const room = await gateway.newRoom([alice, bob])
    const body = { message: 'x', messageType: 'text', clientMessageID: 'mine' }
    const sends = Array.from({ length: 10 }, () => alice.call('POST', `/rooms/${room}/message`, body))
    const results = (await Promise.all(sends)).map((answer) => answer.body.result)
    assert.equal(new Set(results.map(({ _id }) => _id)).size, 1)
    assert.equal(results[0].clientMessageID, 'mine')
    const [shown] = (await bob.call('GET', `/rooms/${room}/messages/v3`)).body.result.data
    assert.equal(shown.clientMessageID, 'mine')
  })

  test('with the same key to another room is another message, also concurrently; each room dedupes its own', async () => {
    const rooms = [await gateway.newRoom([alice, bob]), await gateway.newRoom([alice, bob])]
    const sendAll = async (key: string) => {
      const sends = [...rooms, ...rooms].map((room, i) =>
        (i % 2 ? gateway : other).admin('POST', '/messages', whole(room), { 'idempotency-key': key }),
      )
      return (await Promise.all(sends)).map(({ body }) => [body.result?.room, body.result?._id])
    }
    for (const key of ['one', 'two', 'three']) {
      const [first, second, ...repeated] = await sendAll(key)
      assert.deepEqual([first?.[0], second?.[0]], rooms)
      assert.notEqual(first?.[1], second?.[1])
      assert.deepEqual(repeated, [first, second])
      assert.deepEqual(await sendAll(key), [first, second, first, second])
    }
    for (const room of rooms) {
      assert.equal((await bob.call('GET', `/rooms/${room}/messages/v3`)).body.result.totalCount, 3)
    }
  })

  test('returns the current message: without its content once it is deleted, alone or with all of its room', async () => {
    const room = await gateway.newRoom([alice, bob])
    const again = async (key: string) =>
      (await gateway.admin('POST', '/messages', whole(room), { 'idempotency-key': key })).body.result
    const [one, two] = [await again('deleted'), await again('with all')]
    await gateway.admin('DELETE', `/rooms/${room}/messages/${one._id}`)
    await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)
    for (const [key, { _id }] of [
      ['deleted', one],
      ['with all', two],
    ]) {
      const { message, isDeleted, ...rest } = await again(key)
      assert.deepEqual([rest._id, message, isDeleted], [_id, undefined, true])
    }
  })

  test('with the same key from another sender is another message, and a refused send leaves the key free', async () => {
    const room = await gateway.newRoom([alice, bob])
    const headers = { 'idempotency-key': 'shared' }
    const refused = await gateway.admin('POST', '/messages', whole('none'), headers)
    assert.equal(refused.status, 404)
    const one = await gateway.admin('POST', '/messages', whole(room), headers)
    const two = await gateway.admin('POST', '/messages', whole(room, { sender: 'bob' }), headers)
    assert.notEqual(one.body.result._id, two.body.result._id)
  })

  test('an Idempotency-Key wins over the clientMessageID', async () => {
    const room = await gateway.newRoom([alice, bob])
    const send = (id: string, name: string) =>
      gateway.admin('POST', '/messages', whole(room, { clientMessageID: id }), { 'idempotency-key': name })
    const [one, two, three] = [await send('a', 'k1'), await send('a', 'k2'), await send('b', 'k1')]
    assert.notEqual(one.body.result._id, two.body.result._id)
    assert.equal(one.body.result._id, three.body.result._id)
  })
})

describe('POST /messages/batch', () => {
  test('returns one result or error per recipient, in order; $pattern$ is replaced per recipient', async () => {
    const room = await gateway.newRoom([alice, bob])
    const carol = await gateway.newUser('carol')
    const heard = await gateway.hear()
    const { status, body } = await gateway.admin('POST', '/messages/batch', {
      message: { text: 'Hello $name$, $greeting$ $name$ for $5 or $other$' },
      messageType: 'text',
      sender: 'alice',
      push: false,
      paras: [
        { receiver: 'bob', $name$: 'Bob', $greeting$: '$name$' },
        { room: 'none', $name$: 'x' },
        { room, $name$: 'all' },
        { receiver: 'nobody' },
        { receiver: 'carol' },
      ],
    })
    assert.equal(status, 200)
    const [toBob, toNone, toRoom, toNobody, toCarol] = body.result
    assert.equal(toBob.result.message.text, 'Hello Bob, $name$ Bob for $5 or $other$')
    assert.deepEqual(Object.keys(toNone), ['error'])
    assert.equal(toNone.error.code, 'ROOM_NOT_FOUND')
    assert.equal(toRoom.result.room, room)
    assert.equal(toRoom.result.message.text, 'Hello all, $greeting$ all for $5 or $other$')
    assert.equal(toNobody.error.code, 'CLIENT_NOT_FOUND')
    assert.equal(toCarol.result.sender, 'alice')
    const event = await heard.next('chat message', ({ _id }: { _id: string }) => _id === toBob.result._id)
    assert.equal(event.incoming.push, false)
    const direct = (await carol.call('GET', '/rooms')).body.result.data
    assert.deepEqual([direct[0].roomType, direct[0].unread], ['direct', 1])
    const again = { message: 'x', messageType: 'text', sender: 'alice', paras: [{ receiver: 'carol' }] }
    const repeated = await gateway.admin('POST', '/messages/batch', again)
    assert.equal(repeated.body.result[0].result.room, toCarol.result.room)
  })

  test('repeated with its recipients in another order sends nothing twice', async () => {
    const room = await gateway.newRoom([alice, bob])
    const send = async (paras: object[]) => {
      const batch = { message: 'x', messageType: 'text', sender: 'alice', paras }
      const headers = { 'idempotency-key': 'in any order' }
      const { body } = await gateway.admin('POST', '/messages/batch', batch, headers)
      return body.result.map(({ result }: { result: { _id: string } }) => result._id)
    }
    const first = await send([{ room }, { receiver: 'bob' }, { room }])
    const [direct, ...twice] = await send([{ receiver: 'bob' }, { room }, { room }])
    assert.deepEqual([twice[0], direct, twice[1]], first)
    assert.equal(new Set(first).size, 3)
  })

  test('without sender each recipient gets the error MISSING_PARAMETER', async () => {
    const { body } = await gateway.admin('POST', '/messages/batch', {
      message: 'x',
      messageType: 'text',
      paras: [{ receiver: 'bob' }],
    })
    assert.equal(body.result[0].error.code, 'MISSING_PARAMETER')
  })

  test('bad requests', async () => {
    const whole = { message: 'x', messageType: 'text', sender: 'alice', paras: [{ receiver: 'bob' }] }
    const call = async (more: object, wanted: string, at: RegExp) => {
      const { body } = await gateway.admin('POST', '/messages/batch', { ...whole, ...more })
      assert.equal(body.error?.code, wanted, JSON.stringify(body))
      assert.match(body.error.message, at)
    }
    await call({ paras: undefined }, 'MISSING_PARAMETER', /^paras /)
    await call({ message: undefined }, 'MISSING_PARAMETER', /^message /)
    await call({ messageType: undefined }, 'MISSING_PARAMETER', /^messageType /)
    await call({ paras: [] }, 'INVALID_REQUEST', /^paras/)
    await call({ paras: [{}] }, 'INVALID_REQUEST', /^paras\.0: expected either receiver or room/)
    await call({ paras: [{ receiver: 'bob', room: 'x' }] }, 'INVALID_REQUEST', /^paras\.0/)
    await call({ paras: [{ receiver: 'bob', name: 'x' }] }, 'INVALID_REQUEST', /^paras\.0\.name/)
    await call({ message: 'x'.repeat(70_000) }, 'MESSAGE_TOO_LARGE', /^message/)
    assert.equal((await alice.call('POST', '/messages/batch', whole)).status, 401)
  })
})
