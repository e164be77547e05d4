import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { type Heard, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

interface Delivered {
  roomID: string
  members: { memberID: string; messageID: string; seq: number }[]
}

describe('PUT /rooms/{id}/delivered', () => {
  let gateway: TestGateway
  let [alice, bob, carol]: TestUser[] = []
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, bob, carol] = await Promise.all(['alice', 'bob', 'carol'].map((id) => gateway.newUser(id)))
  })
  afterAll(() => gateway.stop())

  const is = (user: TestUser | undefined): TestUser => user as TestUser
  const send = async (user: TestUser | undefined, room: string): Promise<string> =>
    (await is(user).call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })).body.result._id
  const report = (user: TestUser | undefined, room: string, message: string) =>
    is(user).call('PUT', `/rooms/${room}/delivered`, { message })
  const sendersWhoHeard = ({ events }: Heard): Set<string> =>
    new Set(events.flatMap(({ event, to }) => (event === 'delivered' && 'user' in to ? [to.user] : [])))
  /** The markers of the room's members, by ID: delivered and read. */
  const markers = async (room: string) => {
    const { body } = await is(alice).call('GET', `/rooms/${room}/members`)
    return new Map(
      (body.result.data as { _id: string; deliveredSeq: number; readSeq: number }[]).map((member) => [
        member._id,
        [member.deliveredSeq, member.readSeq],
      ]),
    )
  }

  test('moves the marker forward only; members see it, and the senders of the passed messages get the event', async () => {
    const room = await gateway.newRoom([is(alice), is(bob), is(carol)])
    const [first, second, third] = [await send(alice, room), await send(carol, room), await send(bob, room)]
    const heard = await gateway.hear()
    const { status, body } = await report(bob, room, second)
    const marked = { roomID: room, memberID: 'bob', messageID: second, isMarked: true }
    assert.deepEqual([status, body.result], [200, marked])
    const members = [{ memberID: 'bob', messageID: second, seq: 2 }]
    const delivered = () => heard.events.filter(({ event }) => event === 'delivered')
    await vi.waitUntil(() => delivered().length >= 2, { timeout: 100_000 })
    assert.deepEqual(
      new Set(delivered().map(({ to }) => ('user' in to ? to.user : to.room))),
      new Set(['alice', 'carol']),
    )
    for (const { payload } of delivered()) assert.deepEqual(payload, { roomID: room, members })
    assert.deepEqual((await markers(room)).get('bob'), [2, 0])

    await report(bob, room, first)
    assert.deepEqual((await markers(room)).get('bob'), [2, 0], 'not backwards')
    await is(bob).call('PUT', `/rooms/${room}/lastRead`, { message: third })
    assert.deepEqual((await markers(room)).get('bob'), [3, 3], 'what was read has arrived')
    assert.equal((await report(bob, room, third)).status, 200)
    assert.equal(delivered().length, 2, 'once for each sender, and never for the own message')
    assert.equal((await is(bob).call('GET', `/rooms/${room}`)).body.result.unread, 0)
  })

  test('a sender who has left the room gets no event', async () => {
    const room = await gateway.newRoom([is(alice), is(bob), is(carol)])
    const [, message] = [await send(carol, room), await send(alice, room)]
    await is(carol).call('POST', `/rooms/${room}/delete/members`, { members: ['carol'] })
    const heard = await gateway.hear()
    await report(bob, room, message)
    const { to } = await heard.next('delivered', ({ roomID }: Delivered) => roomID === room)
    assert.partialDeepStrictEqual(to, { user: 'alice' })
    // Events arrive in the order of publishing.
    await report(bob, room, await send(alice, room))
    await heard.next('delivered', ({ members }: Delivered) => members.some(({ seq }) => seq === 3))
    assert.deepEqual(
      heard.events.filter(({ event, to: of }) => event === 'delivered' && 'user' in of && of.user === 'carol'),
      [],
    )
  })

  test('many reports cause few writes and events, and the furthest one counts', async () => {
    const room = await gateway.newRoom([is(alice), is(bob)])
    const sent: string[] = []
    for (let i = 0; i < 30; i++) sent.push(await send(alice, room))
    const heard = await gateway.hear()
    await Promise.all(sent.toReversed().map((message) => report(bob, room, message)))
    assert.deepEqual((await markers(room)).get('bob'), [30, 0])
    await heard.next('delivered', ({ members }: Delivered) => members.some(({ messageID }) => messageID === sent[29]))
    const events = heard.events.filter(({ event }) => event === 'delivered').length
    assert.ok(events < sent.length / 2, `${events} events`)
  })

  test('senders get the event whichever gateway sent or first flushed their messages', async () => {
    const room = await gateway.newRoom([is(alice), is(bob), is(carol)])
    const held = Promise.withResolvers<void>()
    const slow = await gateway.another({ atPoint: (point) => (point === 'taken' ? held.promise : undefined) })
    try {
      const sendSlowly = async (): Promise<string> => {
        const message = { room, sender: 'alice', message: 'x', messageType: 'text' }
        return (await slow.admin('POST', '/messages', message)).body.result._id
      }
      await sendSlowly()
      await send(carol, room)
      await gateway.chat.flusher.drained()
      const last = await sendSlowly()
      const buffer = (await gateway.chat.db.rooms.findOne({ id: room }))?.buffer ?? []
      assert.deepEqual(
        buffer.map(({ seq }) => seq),
        [1, 3],
      )
      const heard = await gateway.hear()
      await report(bob, room, last)
      await vi.waitUntil(() => sendersWhoHeard(heard).size === 2, { timeout: 100_000 })
      assert.deepEqual(sendersWhoHeard(heard), new Set(['alice', 'carol']))
    } finally {
      held.resolve()
      await slow.stop()
    }
  })

  test('each marker notifies the senders of the last 100 messages that it passed', async () => {
    const dave = await gateway.newUser('dave')
    const room = await gateway.newRoom([is(alice), is(bob), is(carol), dave])
    const bySeq = new Map([[1, await send(carol, room)]])
    const rest = Array.from({ length: 149 }, () =>
      is(alice).call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' }),
    )
    for (const { body } of await Promise.all(rest)) bySeq.set(body.result.seq, body.result._id)
    const heard = await gateway.hear()
    const [of50, of150] = [bySeq.get(50) as string, bySeq.get(150) as string]
    await Promise.all([report(bob, room, of50), report(dave, room, of150)])
    await vi.waitUntil(() => sendersWhoHeard(heard).size === 2, { timeout: 100_000 })
    const toCarol = heard.events.filter(({ event, to }) => event === 'delivered' && 'user' in to && to.user === 'carol')
    assert.deepEqual(
      toCarol.map(({ payload }) => payload),
      [{ roomID: room, members: [{ memberID: 'bob', messageID: of50, seq: 50 }] }],
    )
  })

  test('is disabled in groups over the configured size', async () => {
    const room = await gateway.newRoom([is(alice), is(bob), is(carol)])
    const message = await send(alice, room)
    const isMarked = async () => (await report(bob, room, message)).body.result.isMarked
    await gateway.admin('POST', '/config', { deliveryMarkers: { maxMembers: 2 } })
    assert.equal(await isMarked(), false)
    assert.deepEqual((await markers(room)).get('bob'), [0, 0])
    await gateway.admin('POST', '/config', { deliveryMarkers: { maxMembers: 3 } })
    assert.equal(await isMarked(), true)
    await gateway.admin('DELETE', '/config/deliveryMarkers')

    const crowd = Array.from({ length: 201 }, (_, i) => ({ _id: `member ${i}` }))
    await gateway.admin('POST', '/admin/clients/list', { data: crowd })
    const members = ['alice', 'bob', ...crowd.map(({ _id }) => _id)]
    const large = (await gateway.admin('POST', '/rooms/', { roomType: 'group', members })).body.result._id
    assert.equal((await report(bob, large, await send(alice, large))).body.result.isMarked, false)
  })

  test('a banned member in a frozen room can report; non-members, and reports of unknown messages, are refused', async () => {
    const room = await gateway.newRoom([is(alice), is(bob)], { owner: 'alice' })
    const other = await gateway.newRoom([is(alice), is(carol)])
    const [message, elsewhere] = [await send(alice, room), await send(alice, other)]
    await is(alice).call('POST', `/blockStatus/room/${room}/bob`)
    await is(alice).call('PUT', `/rooms/${room}`, { status: 0 })
    const answers = await Promise.all([
      report(bob, room, message),
      report(carol, room, message),
      report(bob, room, elsewhere),
      report(bob, room, 'nothing'),
      report(bob, 'no room', message),
      is(bob).call('PUT', `/rooms/${room}/delivered`, {}),
    ])
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.error?.code]),
      [
        [200, undefined],
        [403, 'NOT_ROOM_MEMBER'],
        [404, 'MESSAGE_NOT_FOUND'],
        [404, 'MESSAGE_NOT_FOUND'],
        [404, 'ROOM_NOT_FOUND'],
        [400, 'MISSING_PARAMETER'],
      ],
    )
    await gateway.admin('DELETE', `/rooms/${room}`)
    assert.equal((await report(bob, room, message)).body.error.code, 'ROOM_NOT_FOUND')
  })
})
