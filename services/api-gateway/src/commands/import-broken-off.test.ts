import assert from 'node:assert/strict'
import { toMessageDoc } from '@parley/chat/import/imported-docs'
import { importedMessageId } from '@parley/chat/import/known-ids'
import { LineWriter } from '@parley/chat/import/write-lines'
import { newWrittenRoom } from '@parley/chat/import/written-room'
import type { ImportOf } from '@parley/contracts/import-line'
import { endImports, takeImports } from '@parley/db/import/import-lease'
import { insertImported } from '@parley/db/import/imported-rooms'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { settleAbandoned } from '@parley/db/sending/settle-abandoned'
import { noteMessages } from '@parley/db/statistics/counted-messages'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

const begin = Date.now() - 86_400_000

describe('what an import that was killed between two writes has left beyond the end of a room', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
  })
  afterAll(() => gateway.stop())

  const lineOf = (room: string, n: number, threadOf?: string): ImportOf<'message'> => ({
    ...{ type: 'message', _id: `m${n}`, room, sender: 'alice', message: `imported ${n}`, messageType: 'text' },
    createdAt: begin + n,
    ...(threadOf !== undefined && { threadOf }),
  })
  /** A room whose import was killed after it inserted `left`; its one message that was reached. */
  async function brokenOff(left: readonly { n: number; seq: number; threadOf?: string }[]) {
    const room = await gateway.newRoom([alice, bob])
    const { db } = gateway.chat
    const lines = left.map(({ n, seq, threadOf }) => {
      const times = { createdAtMS: begin + n, updatedAtMS: begin + n }
      return toMessageDoc(gateway.app, lineOf(room, n, threadOf), seq, times)
    })
    const writer = new LineWriter(db, gateway.app)
    writer.rooms.set(room, newWrittenRoom())
    await writer.write([lineOf(room, 1)])
    await insertImported(db, lines)
    return room
  }
  async function send(room: string, fields: object = {}): Promise<string> {
    const sent = { room, sender: 'alice', message: 'sent', messageType: 'text', ...fields }
    const { status, body } = await gateway.admin('POST', '/messages', sent)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result._id
  }
  const docOf = (room: string) => gateway.chat.db.rooms.findOne({ _id: key(gateway.app, room) })
  const stored = async (room: string) => {
    const found = await gateway.chat.db.messages
      .find({ roomKey: key(gateway.app, room) })
      .sort({ seq: 1 })
      .toArray()
    return found.map(({ seq, clientMessageID, _id }) => [seq, clientMessageID ?? _id])
  }

  test('gives way to what is sent there, be it small or large', async () => {
    const room = await brokenOff([2, 3, 4].map((n) => ({ n, seq: n })))
    const small = await send(room)
    await gateway.chat.settler.drained()
    assert.deepEqual((await docOf(room))?.tail, [])
    assert.deepEqual(await stored(room), [
      [1, 'm1'],
      [2, small],
    ])
    const another = await brokenOff([2, 3].map((n) => ({ n, seq: n })))
    const large = await send(another, { message: 'x'.repeat(60_000) })
    assert.deepEqual(await stored(another), [
      [1, 'm1'],
      [2, large],
    ])
    const { body } = await alice.call('GET', `/rooms/${room}/messages/v3`)
    assert.deepEqual(
      body.result.data.map(({ message }: { message: string }) => message),
      ['sent', 'imported 1'],
    )
  })

  test('is nobody’s before: it is in no history, cannot be read, and counts nowhere', async () => {
    const room = await brokenOff([2, 3, 4].map((n) => ({ n, seq: n })))
    const { seq = 0 } = (await docOf(room)) ?? {}
    for (const query of ['', '?timeRangeField=createdAt', '?limit=1', `?afterTime=${begin - 1}`]) {
      const { data } = (await alice.call('GET', `/rooms/${room}/messages/v3${query}`)).body.result
      assert.ok(data.length > 0 && data.every((message: { seq: number }) => message.seq <= seq), query)
    }
    const unreached = importedMessageId(gateway.app, room, 'm4')
    for (const path of ['lastRead', 'delivered']) {
      const { status } = await alice.call('PUT', `/rooms/${room}/${path}`, { message: unreached })
      assert.equal(status, 404, path)
    }
    const first = importedMessageId(gateway.app, room, 'm1')
    const { unread } = (await alice.call('PUT', `/rooms/${room}/lastRead`, { message: first })).body.result
    await send(room, { sender: bob.id })
    const now = (await alice.call('GET', `/rooms/${room}`)).body.result
    assert.equal(now.unread, unread + 1)
  })

  test('counts in no statistics, also where its room has messages that do', async () => {
    const room = await brokenOff([2, 3].map((n) => ({ n, seq: n })))
    await noteMessages(gateway.chat.db, [{ app: gateway.app, room, user: 'alice', seq: 1, atMS: begin + 1 }])
    const { body } = await gateway.admin('GET', `/admin/stats?startTime=${begin}&endTime=${begin + 10}`)
    assert.deepEqual([body.result?.messageCount, body.result?.roomCount], [1, 1], JSON.stringify(body))
  })

  test('gives way to two sends at once, of two gateways', async () => {
    const another = await gateway.another()
    const left = [2, 3].map((n) => ({ n, seq: n }))
    const rooms = [await brokenOff(left), await brokenOff(left), await brokenOff(left)]
    const large = { sender: 'alice', message: 'x'.repeat(60_000), messageType: 'text' }
    const answers = await Promise.all(
      rooms.map((room, i) => (i > 0 ? another : gateway).admin('POST', '/messages', { ...large, room })),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    await another.stop()
  })

  test('gives way in a thread', async () => {
    const room = await brokenOff([
      { n: 2, seq: 1, threadOf: 'm1' },
      { n: 3, seq: 2, threadOf: 'm1' },
    ])
    const root = importedMessageId(gateway.app, room, 'm1')
    const reply = await send(room, { replyTo: root, thread: true })
    const { body } = await alice.call('GET', `/messages/${root}/thread`)
    assert.deepEqual(
      body.result.data.map(({ _id }: { _id: string }) => _id),
      [reply],
    )
  })

  test('gives way in the places of what was sent while another import works', async () => {
    const { db } = gateway.chat
    const room = await brokenOff([2, 3].map((n) => ({ n, seq: n })))
    assert.equal(await takeImports(db, gateway.app, 'another', 60_000), undefined)
    try {
      const sent = await send(room)
      await gateway.chat.settler.drained()
      assert.deepEqual((await docOf(room))?.tail, [])
      assert.deepEqual((await stored(room)).slice(0, 2), [
        [1, 'm1'],
        [2, sent],
      ])
    } finally {
      await endImports(db, gateway.app, 'another')
    }
  })

  test('a room that cannot be settled at all holds up no other', async () => {
    const { db } = gateway.chat
    const [stuck, free] = [await gateway.newRoom([alice]), await gateway.newRoom([alice])]
    const inTheWay = { ...toMessageDoc(gateway.app, lineOf(stuck, 1), 1, { createdAtMS: begin, updatedAtMS: begin }) }
    await db.messages.insertOne({ ...inTheWay, _id: newId() })
    const sent = await Promise.all([stuck, free].map((room) => send(room)))
    await gateway.chat.settler.drained()
    assert.deepEqual(await stored(free), [[1, sent[1]]])
    assert.deepEqual((await docOf(free))?.tail, [])
    assert.equal((await docOf(stuck))?.tail?.length, 1)

    const dead = Promise.withResolvers<void>()
    const another = await gateway.another({ atPoint: (point) => (point === 'taken' ? dead.promise : undefined) })
    const abandoned = { room: free, sender: 'alice', message: 'abandoned', messageType: 'text' }
    const { body } = await another.admin('POST', '/messages', abandoned)
    await assert.rejects(settleAbandoned(db, Date.now() + 60_000, 100), /duplicate|taken/)
    assert.deepEqual((await docOf(free))?.tail, [])
    assert.deepEqual((await stored(free)).at(-1), [2, body.result._id])
    await db.messages.deleteOne({ roomKey: key(gateway.app, stuck), clientMessageID: 'm1' })
    await gateway.chat.settler.drained()
    assert.deepEqual((await docOf(stuck))?.tail, [])
    dead.resolve()
    await another.stop()
  })
})
