import assert from 'node:assert/strict'
import { abortImport, importAlone } from '@parley/chat/import/import-file'
import { LineWriter } from '@parley/chat/import/write-lines'
import { writeMembers } from '@parley/chat/import/write-members'
import type { ImportLine } from '@parley/contracts/import-line'
import { endImports } from '@parley/db/import/importing'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

const begin = Date.now() - 86_400_000
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const message = (room: string, n: number, threadOf?: string): ImportLine => ({
  ...{ type: 'message', _id: `m${n}`, room, sender: 'emil', message: `message ${n}`, messageType: 'text' },
  createdAt: begin + n,
  ...(threadOf !== undefined && { threadOf }),
})

test('a room being imported refuses sends; a conflict in one room does not stop the import of others', async () => {
  const { app, chat, admin } = gateway
  const { db } = chat
  const lines: ImportLine[] = [
    { type: 'user', _id: 'emil' },
    { type: 'room', _id: 'race', roomType: 'group' },
    { type: 'room', _id: 'calm', roomType: 'group' },
    message('race', 1),
    message('calm', 1),
    message('calm', 2, 'm1'),
  ]
  const writer = new LineWriter(db, app)
  await writer.write(lines)
  await writeMembers(db, app, [{ type: 'membership', room: 'race', user: 'emil' }], writer.rooms)
  const send = () => admin('POST', '/messages', { room: 'race', sender: 'emil', message: 'live', messageType: 'text' })
  const refused = await send()
  assert.deepEqual([refused.status, refused.body.error?.code], [409, 'ROOM_IMPORTING'])
  await abortImport(db, app)
  const { status, body } = await send()
  assert.equal(status, 200)

  const more = [message('calm', 3, 'm1'), message('calm', 4), message('calm', 5, 'm4')]
  await assert.rejects(new LineWriter(db, app).write([...lines, message('race', 2), ...more]), /the room "race"/)
  await abortImport(db, app)
  const messages = await findAllMessages(db, { app })
  const rooms = await db.rooms.find({ app }).toArray()
  const seqs = new Map(rooms.map(({ _id, seq }) => [_id, seq]))
  assert.deepEqual(
    messages.filter(({ roomKey, seq }) => seq > (seqs.get(roomKey) ?? Infinity)),
    [],
  )
  assert.equal(messages.find(({ roomKey, seq }) => roomKey === key(app, 'race') && seq === 2)?._id, body.result._id)

  const again = new LineWriter(db, app)
  await again.write([...lines, ...more])
  await again.finish()
  const inCalm = await db.messages.find({ app, room: 'calm' }).sort({ createdAtMS: 1 }).toArray()
  assert.deepEqual(
    inCalm.map(({ clientMessageID, seq, threadOf }) => [clientMessageID, seq, threadOf !== undefined]),
    [
      ['m1', 1, false],
      ['m2', 1, true],
      ['m3', 2, true],
      ['m4', 2, false],
      ['m5', 1, true],
    ],
  )
})

describe('an import that stalls longer than its lease', () => {
  const leaseMS = 1_000
  /** Nothing of this process runs meanwhile, as on a machine that is too busy. */
  const standStill = () => {
    for (const untilMS = performance.now() + 1.5 * leaseMS; performance.now() < untilMS; );
  }

  test('continues if no other import has started', async () => {
    const { app, chat } = gateway
    const work = async (requireAlone: () => Promise<void>) => {
      standStill()
      await requireAlone()
      return 'done'
    }
    assert.equal(await importAlone(chat.db, app, work, leaseMS), 'done')
  })

  test('stops writing once another import has started', async () => {
    const { app, chat } = gateway
    const work = async (requireAlone: () => Promise<void>) => {
      const importing = { by: 'another', until: new Date(Date.now() + 60_000) }
      await chat.db.apps.updateOne({ _id: app }, { $set: { importing } })
      standStill()
      await requireAlone()
    }
    await assert.rejects(importAlone(chat.db, app, work, leaseMS), /another import took its lease/)
    await endImports(chat.db, app, 'another')
  })
})
