import assert from 'node:assert/strict'
import { forKeys, limitPerApp } from '@parley/chat/limit-per-app'
import { sendBatch } from '@parley/contracts/operations/messages/messages'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startWithAliceAndBob, type TestGateway, type TestUser } from '../../test-gateway.ts'

interface Outcome {
  result?: { _id: string; room: string; message: unknown; seq: number; sender: string }
  error?: { code: string; message: string }
}

describe('POST /messages/batch', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    ;({ gateway, alice, bob } = await startWithAliceAndBob())
  })
  afterAll(() => gateway.stop())

  const whole = (message: unknown, paras: object[], more: object = {}) => ({
    ...{ message, messageType: 'text', sender: 'alice', paras },
    ...more,
  })
  const post = async (message: unknown, paras: object[], more: object = {}): Promise<Outcome[]> => {
    const { status, body } = await gateway.admin('POST', '/messages/batch', whole(message, paras, more))
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }
  const messageFor = async (message: unknown, patterns: object) => {
    const room = await gateway.newRoom([alice, bob])
    const [outcome] = await post(message, [{ room, ...patterns }])
    const [stored] = (await bob.call('GET', `/rooms/${room}/messages/v3`)).body.result.data
    assert.deepEqual(stored.message, outcome?.result?.message)
    return stored.message
  }

  test('one result or error per recipient, in order, matching the contract', async () => {
    const room = await gateway.newRoom([alice, bob])
    const carol = await gateway.newUser('carol')
    const paras = [{ room }, { receiver: 'bob' }, { receiver: 'nobody' }, { room: 'none' }, { receiver: 'carol' }]
    const outcomes = await post('Hello', paras)
    assert.equal(sendBatch.result.safeParse(outcomes).error, undefined)
    assert.deepEqual(
      outcomes.map(({ result, error }) => error?.code ?? [result?.message, result?.sender]),
      [['Hello', 'alice'], ['Hello', 'alice'], 'CLIENT_NOT_FOUND', 'ROOM_NOT_FOUND', ['Hello', 'alice']],
    )
    assert.equal(outcomes[0]?.result?.room, room)
    const direct = outcomes[4]?.result?.room
    assert.deepEqual((await carol.call('GET', `/rooms/${direct}`)).body.result.roomType, 'direct')
    const [again] = await post('Again', [{ receiver: 'carol' }])
    assert.deepEqual([again?.result?.room, again?.result?.seq], [direct, 2])
  })

  test('an unknown user is CLIENT_NOT_FOUND naming sender or receiver; the sender as receiver is INVALID_REQUEST', async () => {
    const errorsOf = async (sender: string, paras: object[]) =>
      (await post('x', paras, { sender })).map(({ error }) => `${error?.code} ${error?.message}`)
    assert.deepEqual(await errorsOf('alice', [{ receiver: 'nobody' }, { receiver: 'alice' }]), [
      'CLIENT_NOT_FOUND receiver: no user "nobody"',
      'INVALID_REQUEST receiver: must not be the sender',
    ])
    assert.deepEqual(await errorsOf('nobody', [{ receiver: 'bob' }, { room: await gateway.newRoom([alice]) }]), [
      'CLIENT_NOT_FOUND sender: no user "nobody"',
      'CLIENT_NOT_FOUND sender: no user "nobody"',
    ])
  })

  test('several messages to one room keep the order of the recipients', async () => {
    const room = await gateway.newRoom([alice, bob])
    const numbers = Array.from({ length: 230 }, (_, i) => `${i}`)
    const outcomes = await post(
      '$n$',
      numbers.map(($n$) => ({ room, $n$ })),
    )
    assert.deepEqual(
      outcomes.map(({ result }) => [result?.message, result?.seq]),
      numbers.map((n, i) => [n, i + 1]),
    )
  })

  test('every $pattern$ is replaced in every text at any position; other text, names and dollars stay', async () => {
    const values = { $name$: 'Bob "B"\n', $of$: '$name$', "$it's odd$": '€' }
    assert.equal(await messageFor('$name$, $name$ $of$$of$', values), 'Bob "B"\n, Bob "B"\n $name$$name$')
    assert.equal(await messageFor("It costs 5$ for $name$: $it's odd$", values), 'It costs 5$ for Bob "B"\n: €')
    assert.equal(await messageFor('$unknown$name$ $', values), '$unknownBob "B"\n $')
    assert.equal(await messageFor('$$name$$', values), '$Bob "B"\n$')
    assert.deepEqual(await messageFor({ text: '$name$', $name$: ['$of$', { a: ['x$of$x', 1, null, true] }] }, values), {
      ...{ text: 'Bob "B"\n', $name$: ['$name$', { a: ['x$name$x', 1, null, true] }] },
    })
    assert.deepEqual(await messageFor([], values), [])
  })

  test('recipients with different patterns each get their own text', async () => {
    const room = await gateway.newRoom([alice, bob])
    const outcomes = await post('$a$ $b$', [
      { room, $a$: '1' },
      { room, $b$: '2' },
      { room, $a$: '3', $b$: '4' },
      { room },
      { room, $b$: '5', $a$: '6' },
    ])
    assert.deepEqual(
      outcomes.map(({ result }) => result?.message),
      ['1 $b$', '$a$ 2', '3 4', '$a$ $b$', '6 5'],
    )
  })

  test("a message too large for one recipient is that recipient's error, and creates no room", async () => {
    await gateway.newUser('dave')
    const room = await gateway.newRoom([alice, bob])
    const text = '$p$'.repeat(1_000)
    const fits = 'x'.repeat(65)
    const outcomes = await post(text, [
      { room, $p$: fits },
      { receiver: 'dave', $p$: `${fits}x` },
      { receiver: 'dave', $p$: '語'.repeat(22) },
      { room, $p$: '"'.repeat(32) },
      { room, $p$: '"'.repeat(33) },
    ])
    assert.deepEqual(
      outcomes.map(({ result, error }) => error?.code ?? String(result?.message).length),
      [65_000, 'MESSAGE_TOO_LARGE', 'MESSAGE_TOO_LARGE', 32_000, 'MESSAGE_TOO_LARGE'],
    )
    assert.equal(await gateway.chat.db.rooms.countDocuments({ pair: key(gateway.app, 'alice', 'dave') }), 0)
    const { status, body } = await gateway.admin('POST', '/messages/batch', whole('x'.repeat(65_536), [{ room }]))
    assert.deepEqual([status, body.error.code], [413, 'MESSAGE_TOO_LARGE'])
  })

  test('a message that cannot be delivered creates no room: a missing file, a block, a ban', async () => {
    const eve = await gateway.newUser('eve')
    await gateway.newUser('frank')
    await gateway.newUser('mallory')
    const rooms = () =>
      gateway.chat.db.rooms.countDocuments({ pair: { $regex: /(eve|frank)/ }, app: gateway.app, roomType: 'direct' })
    const codes = (outcomes: Outcome[]) => outcomes.map(({ error }) => error?.code)
    const both = [{ receiver: 'eve' }, { receiver: 'frank' }, { receiver: 'nobody' }]
    const attachments = [{ fileID: 'none' }]
    const refusedFile = ['FILE_NOT_FOUND', 'FILE_NOT_FOUND', 'CLIENT_NOT_FOUND']
    assert.deepEqual(codes(await post('Hello', both, { sender: 'mallory', attachments })), refusedFile)
    await gateway.admin('POST', '/admin/clients/mallory/ban', {})
    const banned = ['USER_BANNED', 'USER_BANNED', 'CLIENT_NOT_FOUND']
    assert.deepEqual(codes(await post('Hello', both, { sender: 'mallory' })), banned)
    assert.equal(await rooms(), 0)

    await gateway.admin('DELETE', '/admin/clients/mallory/ban')
    assert.equal((await eve.call('POST', '/blockStatus/my/mallory')).status, 200)
    const blocked = ['USER_BLOCKED', undefined, 'CLIENT_NOT_FOUND']
    assert.deepEqual(codes(await post('Hello', both, { sender: 'mallory' })), blocked)
    assert.equal(await rooms(), 1)
  })

  test('a small request that would grow to 80 MB across 200 recipients is refused', async () => {
    const room = await gateway.newRoom([alice, bob])
    const paras = Array.from({ length: 200 }, (_, i) => ({ room, $a$: i === 100 ? '' : 'x'.repeat(4_096) }))
    const before = process.memoryUsage.rss()
    const outcomes = await post('$a$'.repeat(20_000), paras)
    assert.deepEqual(
      outcomes.map(({ error }) => error?.code),
      paras.map((_, i) => (i === 100 ? undefined : 'MESSAGE_TOO_LARGE')),
    )
    const grownMB = (process.memoryUsage.rss() - before) / 2 ** 20
    assert.ok(grownMB < 500, `${grownMB}`)
  })

  test('a response with many large messages arrives whole', async () => {
    const room = await gateway.newRoom([alice, bob])
    const paras = Array.from({ length: 150 }, (_, i) => ({ room, $i$: `${i}` }))
    const outcomes = await post(`$i$ ${'x'.repeat(60_000)}`, paras)
    assert.deepEqual(
      outcomes.map(({ result }) => Number.parseInt(result?.message as string, 10)),
      paras.map((_, i) => i),
    )
  })

  test('without a sender every recipient gets an error; an invalid recipient is 400 naming it', async () => {
    const room = await gateway.newRoom([alice, bob])
    const outcomes = await post('x', [{ room }, { receiver: 'bob' }], { sender: undefined })
    assert.deepEqual(
      outcomes.map(({ error }) => error?.code),
      ['MISSING_PARAMETER', 'MISSING_PARAMETER'],
    )
    for (const para of [{}, { room, receiver: 'bob' }, { room, name: 'no pattern' }, { room, $a$: 1 }]) {
      const { status, body } = await gateway.admin('POST', '/messages/batch', whole('x', [para]))
      assert.equal(status, 400)
      assert.match(body.error.message, /^paras\.0/)
    }
  })

  test('batches in flight are limited per app; more are 429 TOO_MANY_REQUESTS with Retry-After', async () => {
    const room = await gateway.newRoom([alice, bob])
    const { limits } = gateway.chat
    const { batches } = limits
    limits.batches = limitPerApp('batches', { ...forKeys(1), inAll: 1, waiting: 0, waitMS: 1_000 })
    try {
      const paras = Array.from({ length: 1_000 }, () => ({ room }))
      const many = Array.from({ length: 3 }, () => gateway.admin('POST', '/messages/batch', whole('x', paras)))
      const answers = await Promise.all(many)
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 429, 429],
      )
      const refused = answers.find(({ status }) => status === 429)
      assert.deepEqual([refused?.body.error.code, refused?.headers.get('retry-after')], ['TOO_MANY_REQUESTS', '1'])
      assert.equal((await bob.call('GET', `/rooms/${room}/messages/v3?limit=1`)).body.result.totalCount, 1_000)
    } finally {
      limits.batches = batches
    }
  })
})
