import assert from 'node:assert/strict'
import { expireDue } from '@parley/chat/messages/changing/expire-messages'
import { removeOldInRoom } from '@parley/chat/retention/remove-old-messages'
import { findHeld } from '@parley/db/holds/holds'
import { inTransaction } from '@parley/db/transactions/transaction'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { makeOlder, sweepAll } from '../../test-aged.ts'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { recorded } from '../../test-profiler.ts'

let gateway: TestGateway
let alice: TestUser
let bob: TestUser
beforeAll(async () => {
  gateway = await startTestGateway()
  ;[alice, bob] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
})
afterAll(() => gateway.stop())

const place = async (of: object) =>
  (await gateway.admin('POST', '/admin/holds', { reason: 'Case 1', ...of })).body.result
const lift = async (id: string) => gateway.admin('DELETE', `/admin/holds/${id}`)
const send = async (room: string, message: string, sender = 'alice', more: object = {}) =>
  (await gateway.admin('POST', '/messages', { room, sender, message, messageType: 'text', ...more })).body.result
const texts = async (room: string) =>
  (await bob.call('GET', `/rooms/${room}/messages/v3?limit=100&timeRangeField=createdAt`)).body.result.data
    .map(({ message }: { message?: string }) => message)
    .toReversed()
async function sweep(): Promise<void> {
  await gateway.chat.db.apps.updateMany({}, { $set: { 'retention.nextMS': 0 } })
  await sweepAll(gateway)
}
const newOldRoom = async (sent: readonly [string, string][]) => {
  const room = await gateway.newRoom([alice, bob], { retentionDays: 30 })
  for (const [sender, message] of sent) await send(room, message, sender)
  await makeOlder(gateway, room, { upToSeq: sent.length, days: 40 })
  return room
}

describe('a legal hold', () => {
  test('on a room keeps all of it from retention until it is lifted', async () => {
    const room = await newOldRoom([
      ['alice', 'one'],
      ['bob', 'two'],
    ])
    const hold = await place({ room })
    await sweep()
    assert.deepEqual(await texts(room), ['one', 'two'])
    assert.equal((await lift(hold._id)).status, 200)
    // Lifting makes the sweep due.
    await sweepAll(gateway)
    assert.deepEqual(await texts(room), [])
  })

  test('on a user keeps their messages, and the conversations from there on', async () => {
    const room = await newOldRoom([
      ['alice', 'one'],
      ['bob', 'two'],
      ['alice', 'three'],
    ])
    const hold = await place({ user: 'bob' })
    await sweep()
    assert.deepEqual(await texts(room), ['two', 'three'])
    await lift(hold._id)
    await sweepAll(gateway)
    assert.deepEqual(await texts(room), [])
  })

  test('on a user keeps the root of a thread that they wrote in', async () => {
    const room = await gateway.newRoom([alice, bob], { retentionDays: 30 })
    const root = await send(room, 'root')
    const reply = await send(room, 'in the thread', 'bob', { replyTo: root._id, thread: true })
    await makeOlder(gateway, room, { upToSeq: 1, days: 40, others: [reply._id] })
    const hold = await place({ user: 'bob' })
    await sweep()
    assert.deepEqual(await texts(room), ['root'])
    await lift(hold._id)
    await sweepAll(gateway)
    assert.deepEqual(await texts(room), [])
  })

  test('keeps messages from expiring until the last hold is lifted', async () => {
    const room = await gateway.newRoom([alice, bob])
    const { expiresAtMS } = await send(room, 'short', 'alice', { expiresInS: 60 })
    const holds = [await place({ room }), await place({ user: 'alice' })]
    const { db, flusher } = gateway.chat
    await flusher.drained()
    const beDue = () =>
      db.messages.updateMany({ expiresAtMS: { $exists: true } }, { $set: { expiresAtMS: Date.now() } })
    await beDue()
    assert.equal(await expireDue(gateway.chat), 1)
    assert.equal(await expireDue(gateway.chat), 0)
    const [shown] = (await bob.call('GET', `/rooms/${room}/messages/v3`)).body.result.data
    assert.deepEqual([shown.message, shown.expiresAtMS <= expiresAtMS], ['short', true])
    for (const [i, { _id }] of holds.entries()) {
      await lift(_id)
      await sweepAll(gateway)
      await expireDue(gateway.chat)
      assert.deepEqual(await texts(room), [i === 0 ? 'short' : undefined])
    }
  })

  test('prevents erasing the user', async () => {
    const carol = await gateway.newUser('carol')
    const hold = await place({ user: 'carol' })
    const { status, body } = await gateway.admin('DELETE', '/admin/clients/carol')
    assert.deepEqual([status, body.error.code], [409, 'UNDER_HOLD'])
    assert.equal((await carol.call('GET', '/me')).status, 200)
    await lift(hold._id)
    assert.equal((await gateway.admin('DELETE', '/admin/clients/carol')).status, 200)
  })

  test('is listed with its reason, paged, in its app only, audited, and unknown to users', async () => {
    const placed = []
    for (const on of [{ room: 'gone' }, { user: 'alice' }, { room: 'gone' }]) placed.push(await place(on))
    const list = async (query: string) => (await gateway.admin('GET', `/admin/holds?${query}`)).body.result
    const first = await list('limit=2')
    assert.deepEqual(first.data, [placed[2], placed[1]])
    const second = await list(`limit=2&cursor=${first.cursor}`)
    assert.deepEqual(second.data, [placed[0]])
    assert.deepEqual((await list('user=alice')).data, [placed[1]])
    assert.deepEqual((await list('room=gone')).data, [placed[2], placed[0]])
    assert.equal((await alice.call('GET', '/admin/holds')).status, 401)
    const other = await startTestGateway()
    try {
      assert.deepEqual((await other.admin('GET', '/admin/holds')).body.result.data, [])
      assert.equal((await other.admin('DELETE', `/admin/holds/${placed[0]._id}`)).status, 404)
    } finally {
      await other.stop()
    }
    const { data } = (await gateway.admin('GET', '/admin/audit?subject=user:alice&action=placeHold')).body.result
    assert.deepEqual(data[0].after, { hold: placed[1]._id, reason: 'Case 1' })
    for (const { _id } of placed) assert.equal((await lift(_id)).status, 200)
    assert.equal((await lift(placed[0]._id)).body.error.code, 'HOLD_NOT_FOUND')
    for (const body of [{}, { user: 'a', room: 'b' }]) {
      assert.equal((await gateway.admin('POST', '/admin/holds', { reason: 'x', ...body })).status, 400)
    }
  })

  test('placed during a removal waits for it or stops it: nothing is removed after its response', async () => {
    const { db } = gateway.chat
    let runs = 0
    const order: string[] = []
    let placing: Promise<void> = Promise.resolve()
    const seen = await inTransaction(db, async (session) => {
      const held = await findHeld(db, gateway.app, { users: ['dave'] }, session)
      if (runs++ === 0) placing = place({ user: 'dave' }).then(() => void order.push('placed'))
      // As the work of a removal.
      await db.rooms.findOne({}, { session })
      order.push('removed')
      return held.users.has('dave')
    })
    await placing
    assert.deepEqual([seen, order.at(-1)], seen ? [true, 'removed'] : [false, 'placed'])
  })

  test('is found by its index, regardless of their number', async () => {
    const { db } = gateway.chat
    const many = Array.from({ length: 500 }, (_, i) => ({
      ...{ _id: `many ${i}`, app: gateway.app, id: `many ${i}`, room: `r ${i}`, covers: `r ${i}`, reason: 'x' },
      createdAtMS: i,
    }))
    await db.holds.insertMany(many)
    const room = await newOldRoom([['alice', 'one']])
    const entries = await recorded(gateway, async () => {
      await removeOldInRoom(gateway.chat, { app: gateway.app, id: room }, Date.now())
      await gateway.admin('GET', '/admin/holds?limit=9')
    })
    const read = entries.filter(({ ns, planSummary }) => ns.includes('.hold') && planSummary !== undefined)
    assert.ok(read.length >= 2)
    for (const { planSummary, docsExamined } of read) {
      assert.doesNotMatch(planSummary, /COLLSCAN/)
      assert.ok(docsExamined <= 10, `${docsExamined} documents`)
    }
  })
})
