import assert from 'node:assert/strict'
import { abortImport } from '@parley/chat/import/import-file'
import { toMessageDoc } from '@parley/chat/import/imported-docs'
import { importedMessageId } from '@parley/chat/import/known-ids'
import { LineWriter, newWrittenRoom } from '@parley/chat/import/write-lines'
import { sendDue } from '@parley/chat/messages/send-scheduled'
import type { ImportOf } from '@parley/contracts/import-line'
import { insertImported } from '@parley/db/import/imported-rooms'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { newId } from '@parley/db/messages/messages'
import { flushAbandoned } from '@parley/db/room-buffer/flush'
import { recordMessages } from '@parley/db/statistics/counted-messages'
import { eventually } from '@parley/stack/eventually'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

const begin = Date.now() - 86_400_000

describe('an import that was killed between two writes', () => {
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
  /** A room whose import was killed after it inserted `left`; only one message lies within the room's end. */
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
  const trySend = (room: string, fields: object = {}) =>
    gateway.admin('POST', '/messages', { room, sender: 'alice', message: 'sent', messageType: 'text', ...fields })
  async function send(room: string, fields: object = {}): Promise<string> {
    const { status, body } = await trySend(room, fields)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result._id
  }
  async function assertRefused(room: string, fields: object = {}): Promise<void> {
    const { status, body } = await trySend(room, fields)
    assert.deepEqual([status, body.error?.code], [409, 'ROOM_IMPORTING'], JSON.stringify(body))
  }
  const docOf = (room: string) => gateway.chat.db.rooms.findOne({ _id: key(gateway.app, room) })
  const stored = async (room: string) => {
    const found = await findAllMessages(gateway.chat.db, { roomKey: key(gateway.app, room) })
    const inOrder = found.toSorted((a, b) => a.seq - b.seq)
    return inOrder.map(({ seq, clientMessageID, _id }) => [seq, clientMessageID ?? _id])
  }

  test('keeps its room closed: sends are 409 ROOM_IMPORTING until the import is aborted', async () => {
    const room = await brokenOff([
      ...[2, 3, 4].map((n) => ({ n, seq: n })),
      { n: 5, seq: 1, threadOf: 'm1' },
      { n: 6, seq: 2, threadOf: 'm1' },
    ])
    const root = importedMessageId(gateway.app, room, 'm1')
    const another = await gateway.another()
    const large = 'x'.repeat(60_000)
    const thread = { replyTo: root, thread: true }
    for (const fields of [{}, { message: large }, thread]) await assertRefused(room, fields)
    const onOther = await another.admin('POST', '/messages', {
      room,
      sender: 'alice',
      message: 'a',
      messageType: 'text',
    })
    assert.equal(onOther.status, 409)
    const { body: added } = await gateway.admin('POST', `/rooms/${room}/message`, {
      ...{ sender: 'bob', message: 'a', messageType: 'text' },
    })
    assert.equal(added.error?.code, 'ROOM_IMPORTING', JSON.stringify(added))

    assert.ok((await abortImport(gateway.chat.db, gateway.app)) > 0)
    const small = await send(room)
    const second = await send(room, { message: large })
    const reply = await send(room, thread)
    await gateway.chat.flusher.drained()
    assert.deepEqual(await stored(room), [
      [1, 'm1'],
      [2, small],
      [3, second],
    ])
    const { body } = await alice.call('GET', `/messages/${root}/thread`)
    assert.deepEqual(
      body.result.data.map(({ _id }: { _id: string }) => _id),
      [reply],
    )
    assert.equal(await abortImport(gateway.chat.db, gateway.app), 0)
    await another.stop()
  })

  test('a scheduled message waits for the import of its room to end', async () => {
    const room = await brokenOff([])
    const sendAtMS = Date.now() + 1_500
    const { status, body } = await trySend(room, { sendAtMS })
    assert.equal(status, 202, JSON.stringify(body))
    const waiting = () => gateway.chat.db.scheduled.findOne({ app: gateway.app, room })
    const send = () => sendDue(gateway.chat)
    await eventually('a try was refused', async () => {
      await send()
      const one = await waiting()
      return one === null || (one.nextMS ?? 0) > sendAtMS
    })
    await abortImport(gateway.chat.db, gateway.app)
    await eventually('the message is sent', async () => {
      await send()
      return (await waiting()) === null
    })
    assert.equal((await docOf(room))?.seq, 2)
  })

  test('hides messages beyond the committed end of the room from history, read markers and counts', async () => {
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
    await abortImport(gateway.chat.db, gateway.app)
    await send(room, { sender: bob.id })
    const now = (await alice.call('GET', `/rooms/${room}`)).body.result
    assert.equal(now.unread, unread + 1)
  })

  test('excludes messages beyond the committed end of the room from statistics', async () => {
    const room = await brokenOff([2, 3].map((n) => ({ n, seq: n })))
    await recordMessages(gateway.chat.db, [{ app: gateway.app, room, user: 'alice', seq: 1, atMS: begin + 1 }])
    const { body } = await gateway.admin('GET', `/admin/stats?startTime=${begin}&endTime=${begin + 10}`)
    assert.deepEqual([body.result?.messageCount, body.result?.roomCount], [1, 1], JSON.stringify(body))
  })

  test('a room that cannot be flushed does not block others', async () => {
    const { db } = gateway.chat
    const [stuck, free] = [await gateway.newRoom([alice]), await gateway.newRoom([alice])]
    const inTheWay = { ...toMessageDoc(gateway.app, lineOf(stuck, 1), 1, { createdAtMS: begin, updatedAtMS: begin }) }
    await db.messages.insertOne({ ...inTheWay, _id: newId() })
    const sent = await Promise.all([stuck, free].map((room) => send(room, { expiresInS: 3_600 })))
    await gateway.chat.flusher.drained()
    assert.deepEqual(await stored(free), [[1, sent[1]]])
    assert.deepEqual((await docOf(free))?.buffer, [])
    assert.equal((await docOf(stuck))?.buffer?.length, 1)

    const dead = Promise.withResolvers<void>()
    const another = await gateway.another({ atPoint: (point) => (point === 'taken' ? dead.promise : undefined) })
    const abandoned = { room: free, sender: 'alice', message: 'abandoned', messageType: 'text' }
    const { body } = await another.admin('POST', '/messages', abandoned)
    await assert.rejects(flushAbandoned(db, Date.now() + 60_000, 100), /duplicate|taken/)
    assert.deepEqual((await docOf(free))?.buffer, [])
    assert.deepEqual((await stored(free)).at(-1), [2, body.result._id])
    await db.messages.deleteOne({ roomKey: key(gateway.app, stuck), clientMessageID: 'm1' })
    await gateway.chat.flusher.drained()
    assert.deepEqual((await docOf(stuck))?.buffer, [])
    dead.resolve()
    await another.stop()
  })
})
