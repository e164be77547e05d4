import assert from 'node:assert/strict'
import type { FlushPoint } from '@parley/chat/send/flush-queue'
import { findUnpublished } from '@parley/db/events/outbox-store'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { flushAbandoned } from '@parley/db/room-buffer/flush'
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

/** Stops the flush at a point for as long as a test looks. */
function createGate() {
  let held: FlushPoint | undefined
  let open = Promise.withResolvers<void>()
  let reached = Promise.withResolvers<void>()
  return {
    at: (point: FlushPoint): Promise<void> | undefined => {
      if (point !== held) return undefined
      reached.resolve()
      return open.promise
    },
    /** Resolves when the flush gets there. */
    hold(point: FlushPoint): Promise<void> {
      held = point
      open = Promise.withResolvers<void>()
      reached = Promise.withResolvers<void>()
      return reached.promise
    },
    release() {
      held = undefined
      open.resolve()
    },
  }
}

const points = ['taken', 'inserted', 'counted', 'stored', 'pulled'] as const satisfies FlushPoint[]
/** Messages for the buffer, and one too large for it. */
const texts = { small: 'hello world', large: 'hello world '.repeat(1_000) }

describe('an acknowledged message', () => {
  const gate = createGate()
  let gateway: TestGateway
  let other: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  let text = texts.small

  beforeAll(async () => {
    gateway = await startTestGateway({ atPoint: gate.at })
    other = await gateway.another()
    alice = await other.newUser('alice')
    bob = await other.newUser('bob')
  })
  afterEach(() => gate.release())
  afterAll(async () => {
    await other.stop()
    await gateway.stop()
  })

  const send = async (sender = 'alice', more: object = {}, via = gateway): Promise<{ _id: string; seq: number }> => {
    const { status, body } = await via.admin('POST', '/messages', {
      ...{ room, sender, message: text, messageType: 'text' },
      ...more,
    })
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }
  const ok = async (user: TestUser, ...about: Parameters<TestUser['call']>) => {
    const { status, body } = await user.call(...about)
    assert.equal(status, 200, JSON.stringify([about, body]))
    return body.result
  }
  const roomDoc = () => other.chat.db.rooms.findOne({ _id: key(other.app, room) })
  const unread = async (user: TestUser) => {
    const [listed, single, { badge }] = [
      await ok(user, 'GET', '/rooms'),
      await ok(user, 'GET', `/rooms/${room}`),
      await ok(user, 'GET', '/me/badge'),
    ]
    const inList = listed.data.find((each: { _id: string }) => each._id === room)
    assert.equal(inList.unread, single.unread)
    const rest = listed.data.filter((each: { _id: string }) => each._id !== room)
    assert.equal(badge, single.unread + rest.reduce((sum: number, each: { unread: number }) => sum + each.unread, 0))
    return single.unread
  }
  const history = async (user: TestUser, query = '') =>
    (await ok(user, 'GET', `/rooms/${room}/messages/v3?${query}`)).data as { _id: string; seq: number }[]

  /** Bob has two of three messages sent by alice, and alice one of bob's; the flush waits at the point. */
  async function sentAndHeld(point: FlushPoint) {
    room = await other.newRoom([alice, bob])
    const flushed = await send()
    await gateway.chat.flusher.drained()
    const reached = gate.hold(point)
    const sent = [await send(), await send('bob'), await send()]
    await reached
    return { flushed, sent }
  }

  for (const [point, size] of points.flatMap((each) => [[each, 'small'] as const, [each, 'large'] as const])) {
    describe(`of ${size} size whose flush waits at "${point}"`, () => {
      beforeEach(() => {
        text = texts[size]
      })

      test('is in the history in its place, is the last message, and counts as unread', async () => {
        const { flushed, sent } = await sentAndHeld(point)
        const all = [flushed, ...sent].map(({ _id }) => _id)
        const ids = async (query: string) => (await history(bob, query)).map(({ _id }) => _id)
        for (const field of ['updatedAt', 'createdAt']) {
          const by = `timeRangeField=${field}`
          assert.deepEqual(await ids(by), all.toReversed())
          assert.deepEqual(await ids(`${by}&limit=1`), all.slice(-1))
          assert.deepEqual(await ids(`${by}&afterTime=0`), all)
          assert.deepEqual(await ids(`${by}&afterMessage=${all[1]}`), all.slice(2))
          assert.deepEqual(await ids(`${by}&beforeMessage=${all[2]}`), all.slice(0, 2).toReversed())
        }
        assert.deepEqual([await unread(alice), await unread(bob)], [1, 3])
        for (const path of [`/rooms/${room}`, '/rooms?limit=1']) {
          const shown = await ok(bob, 'GET', path)
          assert.equal((shown.data?.[0] ?? shown).lastMessage._id, all.at(-1))
        }
        gate.release()
        await gateway.chat.flusher.drained()
        assert.deepEqual([await unread(alice), await unread(bob)], [1, 3])
        assert.deepEqual((await roomDoc())?.buffer, [])
        assert.deepEqual(await ids('timeRangeField=createdAt'), all.toReversed())
      })

      test('can be marked as read, and own messages after the marker do not count', async () => {
        const { sent } = await sentAndHeld(point)
        const marked = await ok(alice, 'PUT', `/rooms/${room}/lastRead`, { message: sent[0]?._id })
        assert.equal(marked.unread, 1)
        assert.equal((await ok(bob, 'PUT', `/rooms/${room}/lastRead`, { message: sent[1]?._id })).unread, 1)
        assert.deepEqual([await unread(alice), await unread(bob)], [1, 1])
        gate.release()
        await gateway.chat.flusher.drained()
        assert.deepEqual([await unread(alice), await unread(bob)], [1, 1])
        assert.equal((await ok(alice, 'PUT', `/rooms/${room}/lastRead`, { message: sent[1]?._id })).unread, 0)
        assert.deepEqual([await unread(alice), await unread(bob)], [0, 1])
      })

      test('can be edited, reacted to and deleted, alone, for oneself and with all, permanently', async () => {
        const { flushed, sent } = await sentAndHeld(point)
        const [first, second, third] = sent.map(({ _id }) => _id)
        await ok(alice, 'POST', `/rooms/${room}/message`, { _id: first, message: 'edited' })
        await ok(bob, 'POST', `/messages/${third}/reaction`, { reaction: '+' })
        assert.equal((await other.admin('DELETE', `/rooms/${room}/messages/${second}`)).status, 200)
        await ok(bob, 'POST', '/messages/user-delete', { room, messages: [third] })
        const check = async () => {
          assert.deepEqual([await unread(alice), await unread(bob)], [0, 2])
          const shown = await history(bob, 'timeRangeField=createdAt')
          assert.deepEqual(
            shown.map((message) => [message._id, Reflect.get(message, 'message')]),
            [
              [third, text],
              [second, undefined],
              [first, 'edited'],
              [flushed._id, text],
            ],
          )
          const updated = (await history(bob, 'timeRangeField=updatedAt&afterTime=0')).map(({ _id }) => _id)
          assert.deepEqual(updated, [flushed._id, first, third, second])
        }
        await check()
        gate.release()
        await gateway.chat.flusher.drained()
        await check()
        void gate.hold(point)
        await send()
        assert.equal((await other.admin('DELETE', `/rooms/${room}/messages/_all`)).status, 200)
        assert.deepEqual([await unread(alice), await unread(bob)], [0, 0])
        gate.release()
        await gateway.chat.flusher.drained()
        assert.deepEqual([await unread(alice), await unread(bob)], [0, 0])
        await send()
        assert.deepEqual([await unread(alice), await unread(bob)], [0, 1])
      })

      test('is found by its words, by its key, and counted', async () => {
        room = await other.newRoom([alice, bob])
        const reached = gate.hold(point)
        const once = `once ${size} ${point}`
        const sent = await send('alice', { clientMessageID: once, message: `find${size}${point} ${text}` })
        await reached
        const again = await send('alice', { clientMessageID: once }, other)
        assert.equal(again._id, sent._id)
        const found = await ok(bob, 'POST', '/search', { keyword: `find${size}${point}`, room })
        assert.deepEqual(found.messages, [{ room, messages: [sent._id] }])
        gate.release()
        await gateway.chat.flusher.drained()
        assert.equal((await send('alice', { clientMessageID: once }, other))._id, sent._id)
        assert.equal((await roomDoc())?.seq, 1)
      })

      test('is flushed by another process if its writer stops, and only once if the writer resumes', async () => {
        const { sent } = await sentAndHeld(point)
        await Promise.all([0, 1, 2].map(() => flushAbandoned(other.chat.db, Date.now() + 60_000, 100)))
        const check = async () => {
          assert.deepEqual([await unread(alice), await unread(bob)], [1, 3])
          assert.deepEqual((await roomDoc())?.buffer, [])
          const stored = await findAllMessages(other.chat.db, { roomKey: key(other.app, room) })
          assert.deepEqual(
            stored.map(({ seq }) => seq).toSorted((a, b) => a - b),
            [1, 2, 3, 4],
          )
        }
        await check()
        gate.release()
        await gateway.chat.flusher.drained()
        await check()
        await ok(bob, 'PUT', `/rooms/${room}/lastRead`, { message: sent[2]?._id })
        assert.equal(await unread(bob), 0)
      })
    })
  }

  test("is flushed and published by another process even if the room's clock is ahead of all processes", async () => {
    room = await other.newRoom([alice, bob])
    const { db } = other.chat
    const aheadMS = Date.now() + 3_600_000
    await db.rooms.updateOne({ _id: key(other.app, room) }, { $set: { clockMS: aheadMS } })
    const reached = gate.hold('taken')
    const held = await send()
    await reached
    const flushed = await send('bob', {}, other)
    await other.chat.flusher.drained()
    const left = (await roomDoc())?.buffer ?? []
    assert.deepEqual(
      left.map(({ _id, createdAtMS }) => [_id, createdAtMS > aheadMS]),
      [[held._id, true]],
    )
    assert.notEqual(flushed._id, held._id)
    const laterMS = Date.now() + 5_000
    await flushAbandoned(db, laterMS, 100)
    const noted = (await findUnpublished(db, laterMS, 1_000)).flatMap(({ events }) => events)
    assert.ok(noted.some((event) => event.kind === 'message' && event.message === held._id))
    assert.deepEqual((await roomDoc())?.buffer, [])
    await flushAbandoned(db, laterMS, 100)
  })

  test('is ordered with others, whether it is buffered or too large for the buffer', async () => {
    room = await other.newRoom([alice, bob])
    const sizes = [10, 9_000, 10, 60_000, 4_000, 8_000, 10]
    for (const [i, size] of sizes.entries()) {
      await send(i % 2 ? 'bob' : 'alice', { message: 'x'.repeat(size) }, i % 3 ? gateway : other)
    }
    assert.deepEqual(
      (await history(bob)).map(({ seq }) => seq),
      [7, 6, 5, 4, 3, 2, 1],
    )
    assert.deepEqual([await unread(alice), await unread(bob)], [3, 4])
    await Promise.all([gateway, other].map(({ chat }) => chat.flusher.drained()))
    assert.deepEqual([await unread(alice), await unread(bob)], [3, 4])
  })

  test('is stored without gaps or duplicates when three gateways send to a room at once', async () => {
    room = await other.newRoom([alice, bob])
    const third = await gateway.another()
    const gateways = [gateway, other, third]
    const sent = await Promise.all(
      Array.from({ length: 240 }, (_, i) =>
        send(i % 2 ? 'bob' : 'alice', { message: i % 20 ? 'x' : 'x'.repeat(20_000) }, gateways[i % 3]),
      ),
    )
    assert.deepEqual(
      sent.map(({ seq }) => seq).toSorted((a, b) => a - b),
      sent.map((_, i) => i + 1),
    )
    assert.deepEqual([await unread(alice), await unread(bob)], [120, 120])
    await Promise.all(gateways.map(({ chat }) => chat.flusher.drained()))
    assert.deepEqual([await unread(alice), await unread(bob)], [120, 120])
    assert.deepEqual((await roomDoc())?.buffer, [])
    assert.equal((await findAllMessages(other.chat.db, { roomKey: key(other.app, room) })).length, 240)
    await third.stop()
  })
})
