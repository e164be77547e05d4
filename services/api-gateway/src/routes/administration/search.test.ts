import assert from 'node:assert/strict'
import { searchAllMessages } from '@parley/chat/admin/search-all-messages'
import { ApiError } from '@parley/contracts/errors'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startWithAliceAndBob, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { recorded } from '../../test-profiler.ts'

describe('POST /admin/search', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let rooms: string[]
  beforeAll(async () => {
    ;({ gateway, alice, bob } = await startWithAliceAndBob())
    rooms = [await gateway.newRoom([alice, bob]), await gateway.newRoom([alice]), await gateway.newRoom([bob])]
  })
  afterAll(() => gateway.stop())

  const send = async (room: string | undefined, message: unknown, more: object = {}): Promise<string> => {
    const body = { room, sender: 'alice', message, messageType: 'text', ...more }
    return (await gateway.admin('POST', '/messages', body)).body.result._id
  }
  const page = async (query: object) => {
    const { status, body } = await gateway.admin('POST', '/admin/search', query)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }
  const idsOf = async (query: object): Promise<string[]> =>
    (await page(query)).data.map(({ _id }: { _id: string }) => _id)

  test('finds messages of the whole app by words, room, sender, type and time, the latest first', async () => {
    const one = await send(rooms[0], 'Das Café öffnet')
    const two = await send(rooms[1], 'CAFE zu')
    const three = await send(rooms[2], { text: 'cafe' }, { sender: 'bob', messageType: 'note' })
    const four = await send(rooms[0], 'cafe in a thread', { sender: 'bob', thread: true, replyTo: one })
    const five = await send(rooms[0], { url: 'no words' }, { sender: 'bob', messageType: 'image' })
    assert.deepEqual(await idsOf({ keyword: 'caf' }), [four, three, two, one])
    assert.deepEqual(await idsOf({ keyword: 'cafe offnet' }), [one])
    assert.deepEqual(await idsOf({ keyword: 'cafe', room: rooms[0] }), [four, one])
    assert.deepEqual(await idsOf({ keyword: 'cafe', sender: 'bob' }), [four, three])
    assert.deepEqual(await idsOf({ keyword: 'cafe', messageType: 'note' }), [three])
    assert.deepEqual(await idsOf({ sender: 'alice' }), [two, one])
    assert.deepEqual(await idsOf({ sender: 'bob', messageType: 'text' }), [four])
    assert.deepEqual(await idsOf({ room: rooms[0] }), [five, one])
    assert.deepEqual(await idsOf({ room: rooms[0], messageType: 'image', sender: 'bob' }), [five])
    assert.deepEqual(await idsOf({ keyword: '?!' }), [])
    assert.deepEqual(await idsOf({ messageType: 'image' }), [five])
    assert.deepEqual(await idsOf({}), [five, three, two, one])
    const { data } = await page({ keyword: 'cafe' })
    const times = data.map(({ messageTimeMS }: { messageTimeMS: number }) => messageTimeMS)
    const later = { keyword: 'cafe', afterTimeMS: times[3] }
    assert.ok(!(await idsOf(later)).includes(one))
    assert.ok(!(await idsOf({ keyword: 'cafe', beforeTimeMS: times[0] })).includes(four))
    assert.deepEqual([data[0].room, data[0].threadOf, data[1].text], [rooms[0], one, 'cafe'])
  })

  test('by type, time or in a room finds a message at once without indexing words; by words or sender, it indexes them', async () => {
    const room = await gateway.newRoom([alice, bob])
    const index = vi.spyOn(gateway.chat.searchIndex, 'index')
    const sent = await send(room, 'to be found', { messageType: 'unindexed' })
    for (const query of [{ messageType: 'unindexed' }, { room }, { room, sender: 'alice' }]) {
      assert.deepEqual(await idsOf(query), [sent])
    }
    const indexed = () => index.mock.calls.some(([roomKey]) => roomKey === key(gateway.app, room))
    assert.equal(indexed(), false)
    assert.deepEqual(await idsOf({ sender: 'alice', messageType: 'unindexed' }), [sent])
    assert.equal(indexed(), true)
    index.mockRestore()
  })

  test('leaves out text that was edited, recalled, deleted, or belongs to another app', async () => {
    const room = await gateway.newRoom([alice, bob])
    const ids = []
    for (const word of ['edited', 'recalled', 'deleted', 'hidden', 'kept']) ids.push(await send(room, `secret ${word}`))
    const [edited, recalled, deleted, hidden, kept] = ids
    assert.equal((await idsOf({ keyword: 'secret' })).length, 5)
    await alice.call('POST', `/rooms/${room}/message`, { _id: edited, message: 'other words' })
    await alice.call('POST', `/rooms/${room}/message`, { _id: recalled, messageType: 'recall' })
    await gateway.admin('DELETE', `/rooms/${room}/messages/${deleted}`)
    await bob.call('POST', '/messages/user-delete', { room, messages: [hidden] })
    assert.deepEqual(await idsOf({ keyword: 'secret' }), [kept, hidden])
    assert.deepEqual(await idsOf({ room }), [kept, hidden, edited])
    assert.deepEqual(await idsOf({ sender: 'alice', limit: 3 }), [kept, hidden, edited])
    await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)
    for (const query of [{ keyword: 'secret' }, { room }, { keyword: 'secret', room }]) {
      assert.deepEqual(await idsOf(query), [])
    }
    await gateway.chat.db.searchTexts.insertOne({ ...text('foreign room', 1), app: 'another', words: ['secret'] })
    assert.deepEqual(await idsOf({ keyword: 'secret' }), [])
  })

  test('pages of at most 100 follow a cursor without gap or repeat, also among messages with equal times', async () => {
    const room = await gateway.newRoom([alice])
    const texts = Array.from({ length: 120 }, (_, i) => ({ ...text(room, i), createdAtMS: 1_000 + Math.floor(i / 50) }))
    const messages = texts.map(({ words: _w, ...message }) => ({ ...message, room, updatedAtMS: message.createdAtMS }))
    await gateway.chat.db.messages.insertMany(messages)
    await gateway.chat.db.searchTexts.insertMany(texts)
    for (const query of [{ keyword: 'paged' }, { sender: 'writer' }, { keyword: 'paged', room }, { room }]) {
      for (const limit of [7, 100]) {
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const { data, cursor: next } = await page({ ...query, limit, cursor })
          assert.ok(data.length <= limit && data.length > 0)
          seen.push(...data.map(({ _id }: { _id: string }) => _id))
          cursor = next
        } while (cursor !== undefined)
        assert.deepEqual([seen.length, new Set(seen).size], [120, 120], JSON.stringify({ ...query, limit }))
      }
    }
  })

  test('without words, room and sender, merges the messages of all rooms by type and time, the latest first', async () => {
    const other = await startWithAliceAndBob()
    try {
      const { chat, app } = other.gateway
      const all: { _id: string; atMS: number; type: string }[] = []
      // Rooms overlap in time, some messages have equal times, and one room was quiet for long.
      for (let i = 0; i < 40; i++) {
        const room = await other.gateway.newRoom([other.alice])
        const messages = Array.from({ length: 1 + (i % 12) }, (_, n) => ({
          _id: newId(),
          ...{ app, room, roomKey: key(app, room), seq: n + 1, sender: 'alice', content: '{}' },
          messageType: n % 3 === 0 ? 'image' : 'text',
          createdAtMS: 60_000 * (100 + ((i * 7) % 11)) + n * (i % 5) * 20_000,
        }))
        await chat.db.messages.insertMany(messages.map((each) => ({ ...each, updatedAtMS: each.createdAtMS })))
        const lastMinute = Math.floor((messages.at(-1)?.createdAtMS ?? 0) / 60_000)
        await chat.db.rooms.updateOne({ _id: key(app, room) }, { $set: { lastMinute, seq: messages.length } })
        all.push(
          ...messages.map(({ _id, createdAtMS, messageType }) => ({ _id, atMS: createdAtMS, type: messageType })),
        )
      }
      const pages = async (query: object, limit: number) => {
        const seen: { _id: string; messageTimeMS: number }[] = []
        let cursor: string | undefined
        do {
          const { body } = await other.gateway.admin('POST', '/admin/search', { ...query, limit, cursor })
          assert.ok(body.result.data.length <= limit, JSON.stringify(body))
          seen.push(...body.result.data)
          cursor = body.result.cursor
        } while (cursor !== undefined)
        return seen
      }
      const [afterTimeMS, beforeTimeMS] = [60_000 * 102, 60_000 * 107]
      for (const query of [
        {},
        { messageType: 'image' },
        { afterTimeMS, beforeTimeMS },
        { beforeTimeMS, messageType: 'text' },
      ]) {
        const wanted = all.filter(
          ({ atMS, type }) =>
            (!('messageType' in query) || query.messageType === type) &&
            (!('afterTimeMS' in query) || atMS > query.afterTimeMS) &&
            (!('beforeTimeMS' in query) || atMS < query.beforeTimeMS),
        )
        for (const limit of [7, 100]) {
          const seen = await pages(query, limit)
          const times = seen.map(({ messageTimeMS }) => messageTimeMS)
          assert.deepEqual(
            times,
            times.toSorted((a, b) => b - a),
          )
          assert.deepEqual(new Set(seen.map(({ _id }) => _id)), new Set(wanted.map(({ _id }) => _id)))
          assert.equal(seen.length, wanted.length)
        }
      }
      const latest = await recorded(other.gateway, () => other.gateway.admin('POST', '/admin/search', { limit: 5 }))
      assert.ok(latest.filter(({ command }) => command.aggregate === 'messageBuckets').length < 40)
      for (const { planSummary = '' } of latest) assert.doesNotMatch(planSummary, /COLLSCAN/)
    } finally {
      await other.gateway.stop()
    }
  })

  const text = (room: string, seq: number) => ({
    _id: newId(),
    ...{ app: gateway.app, roomKey: key(gateway.app, room), seq: seq + 1, sender: 'writer', messageType: 'text' },
    createdAtMS: seq,
    words: ['paged'],
  })

  test('reads one index, from the cursor to the end of the page', async () => {
    const room = await gateway.newRoom([alice])
    const texts = Array.from({ length: 500 }, (_, i) => ({
      ...text(room, i),
      sender: 'many',
      words: ['commo', 'common'],
    }))
    const messages = texts.map(({ words: _w, ...message }) => ({ ...message, room, updatedAtMS: message.createdAtMS }))
    await gateway.chat.db.messages.insertMany(messages)
    await gateway.chat.db.searchTexts.insertMany(texts)
    const by: [query: object, collection: string][] = [
      [{ keyword: 'common' }, 'searchTexts'],
      [{ keyword: 'common', room }, 'searchTexts'],
      [{ sender: 'many' }, 'searchTexts'],
      [{ room }, 'messageBuckets'],
    ]
    for (const [query, collection] of by) {
      const { cursor } = await page({ ...query, limit: 5 })
      assert.ok(cursor)
      const entries = await recorded(gateway, () => page({ ...query, limit: 5, cursor, afterTimeMS: 100 }))
      const finds = entries.filter(
        ({ command: { find, aggregate, sort, pipeline } }) =>
          (find === collection && sort) || (aggregate === collection && pipeline[0].$match.roomKey),
      )
      assert.equal(finds.length, 1)
      for (const { planSummary, docsExamined, keysExamined, hasSortStage } of finds) {
        assert.match(planSummary, /^IXSCAN/)
        assert.deepEqual([hasSortStage, docsExamined <= 10, keysExamined <= 10], [undefined, true, true], planSummary)
      }
      for (const { planSummary = '' } of entries) assert.doesNotMatch(planSummary, /COLLSCAN/)
    }
  })

  test('refuses wrong filters and slow searches, naming the filters', async () => {
    const refused = async (query: object, message: RegExp) => {
      const { status, body } = await gateway.admin('POST', '/admin/search', query)
      assert.deepEqual([status, body.error.code], [400, 'INVALID_REQUEST'], JSON.stringify(query))
      assert.match(body.error.message, message)
    }
    await refused({ keyword: 'x', cursor: 'y' }, /^cursor/)
    await refused({ keyword: 'x', limit: 101 }, /^limit/)
    assert.equal((await gateway.admin('POST', '/admin/search', { room: 'none' })).body.error.code, 'ROOM_NOT_FOUND')
    assert.equal((await alice.call('POST', '/admin/search', { keyword: 'x' })).status, 401)
    const tooSlow = async (query: object, message: RegExp) => {
      await assert.rejects(searchAllMessages(gateway.chat, gateway.app, { ...query, limit: 5 }, -1), (error) => {
        assert.ok(error instanceof ApiError)
        assert.match(error.message, message)
        return true
      })
    }
    await tooSlow({ keyword: 'common', messageType: 'text' }, /^messageType, keyword: the search takes too long/)
    await tooSlow({ messageType: 'text', beforeTimeMS: 9 }, /^messageType, beforeTimeMS: the search takes too long/)
  })
})
