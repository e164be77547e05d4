import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendMessage } from '@parley/contracts/operations/messages/messages'
import { connectDb, type Db } from '@parley/db/connect'
import { endImports, markImporting, renewImports, takeImports } from '@parley/db/import/importing'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Platform, startPlatform } from '../platform.ts'
import { begin, Imports, type Line, member, message, user } from './imports.ts'

describe('parley import: repeated and concurrent', () => {
  let platform: Platform
  let db: Db
  const imports = new Imports(() => platform)
  const files = mkdtempSync(join(tmpdir(), 'import-files-'))
  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway', { PARLEY_FILES_FOLDER: files })
    db = await connectDb(platform.servers.mongoUrl)
  })
  afterAll(async () => {
    imports.end()
    rmSync(files, { recursive: true })
    await db.client.close()
    await platform.stop()
  })

  async function importGood(lines: readonly Line[]): Promise<void> {
    const { code, text } = await imports.run(lines)
    assert.equal(code, 0, text)
    assert.match(text, /Verified/)
  }

  test('accepts every field of POST /messages, and an imported message equals a sent one', async () => {
    const upload = async (owner?: string) => {
      const about = { name: 'plan.txt', type: 'text/plain', size: 5, ...(owner !== undefined && { owner }) }
      const made = (await platform.admin('POST', '/files', about)) as { fileID: string; upload: { url: string } }
      const { url, headers } = made.upload as { url: string; headers?: Record<string, string> }
      assert.equal((await fetch(url, { method: 'PUT', headers: headers ?? {}, body: 'hello' })).status, 200)
      return made.fileID
    }
    const lines = [
      user('olga'),
      user('paul'),
      { type: 'room', _id: 'same', roomType: 'group' },
      message('same', 1, 'olga'),
    ]
    const members = ['olga', 'paul'].map((name) => member('same', name))
    assert.equal((await imports.run([...lines, ...members])).code, 0)
    const olga = await platform.newUser('olga')
    const history = async () => ((await olga.call('GET', '/rooms/same/messages/v3?limit=50')) as { data: Line[] }).data
    const [first] = await history()
    const given = async () => ({
      ...{
        message: { text: 'plan', n: [1] },
        messageType: 'text',
        push: false,
        skipTotalBadge: true,
        mentions: ['paul', 'crew'],
      },
      ...{ clientMessageID: 'mine', expiresInS: 30_000_000 },
      attachments: [{ fileID: await upload(), width: 5, height: 6, duration: 1.5 }, { fileID: await upload('olga') }],
    })
    const line = message('same', 2, 'olga', { ...(await given()), replyTo: 'm1' })
    const sent = { room: 'same', sender: 'olga', ...(await given()), replyTo: first?.['_id'] }
    const others = new Set(['thread', 'sendAtMS'])
    const fields = Object.keys(sendMessage.body.shape).filter((field) => !others.has(field))
    assert.deepEqual(Object.keys(sent).toSorted(), fields.toSorted(), 'a sample of each field')
    const foreign = message('same', 3, 'paul', { attachments: [{ fileID: await upload('olga') }] })
    const { code, text } = await imports.run([...lines, line, foreign, ...members])
    assert.deepEqual([code, /:6: attachments: .*the sender has no file/.test(text)], [1, true], text)
    await platform.admin('POST', '/messages', sent)
    const comparable = (shown: Line = {}) => {
      const times = ['messageTime', 'messageTimeMS', 'updatedAtMS', 'createdAtMS', 'expiresAtMS']
      const own = new Set(['_id', 'id', 'seq', ...times])
      const attached = (shown['attachments'] as Line[]).map(({ fileID: _id, ...file }) => file)
      const lifeMS = Number(shown['expiresAtMS']) - Number(shown['createdAtMS'])
      return {
        ...Object.fromEntries(Object.entries(shown).filter(([name]) => !own.has(name))),
        attachments: attached,
        lifeMS,
      }
    }
    const [sentView, importedView] = await history()
    assert.deepEqual(comparable(importedView), comparable(sentView))
    const {
      attachments: [attached],
    } = importedView as { attachments: [Line] }
    assert.equal((await olga.call('GET', `/files/${String(attached['fileID'])}`))['status'], 'uploaded')
    const stored = await db.messages.find({ app: platform.app, room: 'same', clientMessageID: 'mine' }).toArray()
    assert.deepEqual(stored[0]?.push, false)
    assert.deepEqual(stored[0]?.skipTotalBadge, true)

    const [{ _id: recalled }] = (await history()).slice(1) as [Line]
    await platform.admin('POST', '/rooms/same/message', { _id: recalled, sender: 'olga', messageType: 'recall' })
    await db.files.deleteMany({ app: platform.app })
    const again = await imports.run([...lines, line, ...members])
    assert.doesNotMatch(again.text, /attachments/, 'deleted files of an existing message are not reported')
  })

  test('later messages keep their times, and pages by update time list them after changes in between', async () => {
    const lines = [
      ...['ann', 'ben'].map((name) => user(name)),
      { type: 'room', _id: 'times', roomType: 'group' },
      member('times', 'ann'),
      member('times', 'ben', { lastReadAt: begin + 3_500 }),
      ...[1, 2].map((n) => message('times', n, 'ann')),
    ]
    await importGood(lines)
    const ann = await platform.newUser('ann')
    const ben = await platform.newUser('ben')
    const history = async (query: string) => {
      const page = (await ann.call('GET', `/rooms/times/messages/v3?${query}`)) as { data: Line[] }
      return page.data
    }
    const timesOf = async () => (await history('timeRangeField=createdAt')).map(({ createdAtMS }) => createdAtMS)
    const more = [...lines, ...[3, 4].map((n) => message('times', n, 'ann'))]
    await importGood(more)
    assert.deepEqual(
      await timesOf(),
      [4, 3, 2, 1].map((n) => begin + n * 1000),
    )
    assert.equal((await ben.call('GET', '/me/badge'))['badge'], 1, 'm4')

    const [{ _id }] = (await history('limit=1')) as [Line]
    await ben.call('POST', `/messages/${String(_id)}/reaction`, { reaction: '👍' })
    const [{ updatedAtMS }] = (await history('limit=1')) as [Line]
    await importGood([...more, message('times', 5, 'ann')])
    assert.deepEqual(
      await timesOf(),
      [5, 4, 3, 2, 1].map((n) => begin + n * 1000),
    )
    const found = await history(`afterTime=${new Date(Number(updatedAtMS)).toISOString()}`)
    assert.deepEqual(
      found.map(({ clientMessageID }) => clientMessageID),
      ['m5'],
    )
  })

  test('all messages with the time of the last read one are read, even if the import separates their times', async () => {
    const readers = { fay: -1, gus: 0, hal: 1, ida: 9, joe: 10 }
    const lines = [
      user('eva'),
      ...Object.keys(readers).map((name) => user(name)),
      { type: 'room', _id: 'shared', roomType: 'group' },
      member('shared', 'eva'),
      ...Object.entries(readers).map(([name, afterMS]) => member('shared', name, { lastReadAt: begin + afterMS })),
      ...[0, 0, 0, 1, 10].map((afterMS, i) => message('shared', i + 1, 'eva', { createdAt: begin + afterMS })),
    ]
    const unread = async () =>
      Promise.all(
        Object.keys(readers).map(
          async (name) => (await (await platform.newUser(name)).call('GET', '/me/badge'))['badge'],
        ),
      )
    await importGood(lines)
    assert.deepEqual(await unread(), [5, 2, 1, 1, 0])
    const later = [6, 7].map((n) => message('shared', n, 'eva', { createdAt: begin + 10 }))
    await importGood([...lines, ...later])
    assert.deepEqual(await unread(), [7, 4, 3, 3, 0])
  })

  test('concurrent imports never undo each other: the second waits, or is refused while the first runs', async () => {
    const each = 6_000
    const lines = [
      user('kim'),
      { type: 'room', _id: 'twice', roomType: 'group' },
      member('twice', 'kim'),
      ...Array.from({ length: each }, (_, i) => message('twice', i + 1, 'kim')),
    ]
    const file = imports.write(lines)
    const both = await Promise.all([imports.start(file).end, imports.start(file).end])
    for (const { code, text } of both) assert.match(text, code === 0 ? /Verified/ : /another import into the app/)
    assert.ok(
      both.some(({ code }) => code === 0),
      JSON.stringify(both),
    )
    assert.equal(await takeImports(db, platform.app, 'another', 60_000), undefined)
    const { end } = imports.start(file)
    const renewing = setInterval(() => void renewImports(db, platform.app, 'another', 60_000), 100)
    const { code, text } = await end
    clearInterval(renewing)
    assert.deepEqual([code, /another import into the app/.test(text)], [1, true], text)
    await endImports(db, platform.app, 'another')
    await importGood(lines)
  })

  const send = async (room: string, sender: string) => {
    const sent = await platform.admin('POST', '/messages', { room, sender, message: 'live', messageType: 'text' })
    assert.equal(typeof sent['_id'], 'string', JSON.stringify(sent))
    return String(sent['_id'])
  }

  test('a room accepts messages after a killed import is aborted; a file that conflicts with them is refused with the room’s name', async () => {
    const lines = [
      ...['cleo', 'dora'].map((name) => user(name)),
      { type: 'room', _id: 'taken', roomType: 'group' },
      ...['cleo', 'dora'].map((name) => member('taken', name)),
      ...[1, 2].map((n) => message('taken', n, 'cleo')),
    ]
    await importGood(lines)
    const roomKey = key(platform.app, 'taken')
    const second = await db.messages.findOne({ roomKey, seq: 2 })
    assert.ok(second)
    const _id = `00000000${hash('sha256', `${platform.app}\0taken\0m3`).slice(0, 16)}`
    await markImporting(db, [roomKey])
    await db.messages.insertOne({ ...second, _id, seq: 3, clientMessageID: 'm3' })
    await assert.rejects(send('taken', 'cleo'), /ROOM_IMPORTING/)
    const aborted = await imports.abort()
    assert.deepEqual([aborted.code, aborted.text], [0, '1 rooms take messages again\n'])
    const live = await send('taken', 'cleo')
    const { code, text } = await imports.run([...lines, message('taken', 3, 'cleo')])
    assert.equal(code, 1, text)
    assert.match(text, /the room "taken"/)
    const dora = await platform.newUser('dora')
    const { data } = (await dora.call('GET', '/rooms/taken/messages/v3')) as { data: Line[] }
    assert.deepEqual(
      data.map(({ seq, message: content }) => [seq, content]),
      [
        [3, 'live'],
        [2, 'message 2'],
        [1, 'message 1'],
      ],
    )
    const { messages } = (await dora.call('POST', '/search', { keyword: 'live' })) as { messages: Line[] }
    assert.ok(JSON.stringify(messages).includes(live))
    assert.equal((await dora.call('GET', '/me/badge'))['badge'], 1)
  })
})
