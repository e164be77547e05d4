import assert from 'node:assert/strict'
import { eraseNextRoom } from '@parley/chat/messages/changing/erase-messages'
import { indexRoom } from '@parley/chat/search/index-messages'
import { conditionsOf } from '@parley/chat/search/search-words'
import { isDatabaseAway } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findSearchProgress, searchTextsWith } from '@parley/db/messages/search-texts'
import { flushRooms } from '@parley/db/room-buffer/flush'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startWithAliceAndBob, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('POST /search', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    ;({ gateway, alice, bob } = await startWithAliceAndBob())
  })
  afterAll(() => gateway.stop())

  const send = async (room: string, message: unknown): Promise<string> =>
    (await gateway.admin('POST', '/messages', { room, sender: 'alice', message, messageType: 'text' })).body.result._id
  const find = async (
    keyword: string,
    more: object = {},
    user = bob,
  ): Promise<{ room: string; messages: string[] }[]> =>
    (await user.call('POST', '/search', { type: ['messages'], keyword, ...more })).body.result.messages
  const idsIn = async (room: string, keyword: string, user = bob) =>
    (await find(keyword, { room }, user)).flatMap(({ messages }) => messages)

  test('finds messages with every word in any case, accents, script and punctuation, latest first', async () => {
    const room = await gateway.newRoom([alice, bob])
    const one = await send(room, 'Das Café öffnet um neun.')
    const two = await send(room, { text: 'CAFE, um zehn', url: 'https://example.org/hidden' })
    const three = await send(room, '我喜欢北京烤鸭')
    const four = await send(room, ['um', 'not a text'])
    assert.deepEqual(await idsIn(room, 'cafe'), [two, one])
    assert.deepEqual(await idsIn(room, 'um cafe öffnet'), [one])
    assert.deepEqual(await idsIn(room, '北京'), [three])
    assert.deepEqual(await idsIn(room, 'hidden'), [])
    assert.deepEqual(await idsIn(room, 'caf'), [two, one])
    assert.deepEqual(await idsIn(room, 'afe'), [])
    assert.deepEqual(await idsIn(room, '?!'), [])
    assert.ok(!(await idsIn(room, 'um')).includes(four))
  })

  test('with excerpts returns the beginnings of the results, latest first across rooms', async () => {
    const [early, late] = [await gateway.newRoom([alice, bob]), await gateway.newRoom([alice, bob])]
    const one = await send(early, 'excerpt one')
    const two = await send(late, { poll: 1, fallback: 'excerpt two' })
    const three = await send(early, `excerpt three ${'x'.repeat(5_000)}`)
    const search = (more: object) => bob.call('POST', '/search', { type: ['messages'], keyword: 'excerpt', ...more })
    const { found } = (await search({ excerpts: true })).body.result
    assert.deepEqual(
      found.map((each: { _id: string; room: string; sender: string }) => [each._id, each.room, each.sender]),
      [
        [three, early, 'alice'],
        [two, late, 'alice'],
        [one, early, 'alice'],
      ],
    )
    assert.equal(found[1].text, 'excerpt two')
    assert.ok(found[0].text.length < 1_000)
    assert.equal((await search({})).body.result.found, undefined)
  })

  test('shared indexing runs as long as its most patient caller waits', async () => {
    const room = await gateway.newRoom([alice, bob])
    await send(room, 'shared run')
    const { db, searchIndex } = gateway.chat
    const roomKey = key(gateway.app, room)
    await flushRooms(db, [roomKey])
    await Promise.all([0, 0, Number.POSITIVE_INFINITY].map((untilMS) => searchIndex.index(roomKey, untilMS)))
    assert.equal((await findSearchProgress(db, [roomKey])).get(roomKey), 1)
  })

  test('a search whose shared indexing does not finish returns results from the current index', async () => {
    const room = await gateway.newRoom([alice, bob])
    const first = await send(room, 'endless first')
    assert.deepEqual(await idsIn(room, 'endless'), [first])
    await send(room, 'endless second')
    const endless = vi.spyOn(gateway.chat.searchIndex, 'index').mockReturnValue(new Promise<void>(() => undefined))
    assert.deepEqual(await idsIn(room, 'endless'), [first])
    endless.mockRestore()
  })

  test("covers only the caller's rooms, filtered by room and roomTags, up to limit", async () => {
    const [mine, tagged] = [
      await gateway.newRoom([alice, bob]),
      await gateway.newRoom([alice, bob], { roomTags: ['t'] }),
    ]
    const foreign = await gateway.newRoom([alice])
    const [one, two] = [await send(mine, 'needle one'), await send(mine, 'needle two')]
    const three = await send(tagged, 'needle three')
    await send(foreign, 'needle four')
    assert.deepEqual(await find('needle'), [
      { room: tagged, messages: [three] },
      { room: mine, messages: [two, one] },
    ])
    assert.deepEqual(await find('needle', { room: mine }), [{ room: mine, messages: [two, one] }])
    assert.deepEqual(await find('needle', { roomTags: ['t', 'u'] }), [{ room: tagged, messages: [three] }])
    assert.deepEqual(await find('needle', { room: mine, roomTags: ['t'] }), [])
    assert.deepEqual(await find('needle', { roomTags: [] }), await find('needle'))
    assert.deepEqual(await find('needle', { limit: 2 }), [
      { room: tagged, messages: [three] },
      { room: mine, messages: [two] },
    ])
    assert.equal((await find('needle', {}, alice)).length, 3)
  })

  test('follows edits, recalls and deletions, before and after the message is indexed', async () => {
    for (const isIndexed of [false, true]) {
      const room = await gateway.newRoom([alice, bob])
      const ids = []
      for (const word of ['edited', 'recalled', 'deleted', 'hidden', 'kept'])
        ids.push(await send(room, `secret ${word}`))
      const [edited, recalled, deleted, hidden, kept] = ids as [string, string, string, string, string]
      if (isIndexed) assert.equal((await idsIn(room, 'secret')).length, 5)
      await alice.call('POST', `/rooms/${room}/message`, { _id: edited, message: 'other words' })
      await alice.call('POST', `/rooms/${room}/message`, { _id: recalled, messageType: 'recall' })
      await gateway.admin('DELETE', `/rooms/${room}/messages/${deleted}`)
      await bob.call('POST', '/messages/user-delete', { room, messages: [hidden] })
      assert.deepEqual(await idsIn(room, 'secret'), [kept])
      assert.deepEqual(await idsIn(room, 'other'), [edited])
      assert.deepEqual(await idsIn(room, 'secret', alice), [kept, hidden])
      await bob.call('POST', '/messages/user-delete/all-in-room', { room })
      assert.deepEqual(await idsIn(room, 'secret'), [])
      await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)
      assert.deepEqual(await idsIn(room, 'secret', alice), [])
      const { rooms, searchTexts } = gateway.chat.db
      const roomKey = key(gateway.app, room)
      await rooms.updateOne({ _id: roomKey }, { $set: { 'erasing.leaseUntilMS': 0 } })
      while (await eraseNextRoom(gateway.chat, new AbortController().signal)) continue
      assert.equal(await searchTexts.countDocuments({ roomKey }), 0)
      assert.deepEqual(await idsIn(room, 'after', alice), [])
      const later = await send(room, 'a secret after')
      assert.deepEqual(await idsIn(room, 'secret', alice), [later])
    }
  })

  test('two indexers of one room during sends miss nothing and repeat nothing', async () => {
    const room = await gateway.newRoom([alice, bob])
    const roomKey = key(gateway.app, room)
    const writing = { on: true }
    const index = Promise.all(
      [1, 2].map(async () => {
        // One that conflicts for too long leaves its part to the next.
        while (writing.on) await indexRoom(gateway.chat.db, roomKey, Date.now() + 1_000).catch(passOver)
      }),
    )
    const sent = await Promise.all(Array.from({ length: 200 }, (_, i) => send(room, `word${i % 2} all`)))
    writing.on = false
    await index
    assert.deepEqual(new Set(await idsIn(room, 'all')).size, 50)
    const everything = (await find('all', { room, limit: 500 })).flatMap(({ messages }) => messages)
    assert.deepEqual(everything.length, 200)
    assert.deepEqual(new Set(everything), new Set(sent))
  })

  test('finds words of many long texts, which are indexed in parts', async () => {
    const room = await gateway.newRoom([alice, bob])
    const text = (nth: number) => Array.from({ length: 900 }, (_, i) => `word${nth}x${i}`).join(' ')
    const sent = await Promise.all(Array.from({ length: 30 }, (_, i) => send(room, text(i))))
    // A search on an overloaded machine finds whatever is indexed by then.
    const found = async (nth: number) => assert.deepEqual(await idsIn(room, `word${nth}x899`), [sent[nth]])
    for (const nth of [0, 15, 29]) await vi.waitFor(() => found(nth), { timeout: 100_000 })
    assert.equal(await gateway.chat.db.searchTexts.countDocuments({ roomKey: key(gateway.app, room) }), 30)
  })

  test('reads one index in result order, across many rooms', async () => {
    const rooms = []
    for (let i = 0; i < 5; i++) rooms.push(await gateway.newRoom([alice, bob]))
    for (let i = 0; i < 50; i++) await send(rooms[i % 5] ?? '', 'common word')
    // A search on an overloaded machine finds whatever is indexed by then.
    await vi.waitFor(async () => assert.equal((await find('common', { limit: 500 })).length, 5), { timeout: 100_000 })
    const keys = rooms.map((room) => key(gateway.app, room))
    for (const keyword of ['common', 'comm wor']) {
      const query = searchTextsWith(gateway.chat.db, keys, conditionsOf(keyword))
      const { executionStats, queryPlanner } = await query.limit(10).explain('executionStats')
      assert.doesNotMatch(JSON.stringify(queryPlanner.winningPlan), /"(COLLSCAN|SORT)"/)
      assert.ok(executionStats.totalDocsExamined <= 10 + rooms.length, `${executionStats.totalDocsExamined}`)
    }
  })

  test('errors', async () => {
    const refused = async (body: object, code: string, message: RegExp) => {
      const answer = await bob.call('POST', '/search', body)
      assert.equal(answer.body.error?.code, code)
      assert.match(answer.body.error.message, message)
    }
    await refused({ type: ['messages'] }, 'MISSING_PARAMETER', /^keyword /)
    await refused({ type: ['users'], keyword: 'x' }, 'INVALID_REQUEST', /^type/)
    await refused({ keyword: '' }, 'INVALID_REQUEST', /^keyword/)
    await refused({ keyword: 'x', limit: 0 }, 'INVALID_REQUEST', /^limit/)
    await refused({ keyword: 'x', room: 'none' }, 'ROOM_NOT_FOUND', /none/)
    await refused({ keyword: 'x', room: await gateway.newRoom([alice]) }, 'NOT_ROOM_MEMBER', /member/)
    assert.equal((await gateway.admin('POST', '/search', { keyword: 'x' })).status, 401)
  })
})

function passOver(error: unknown): void {
  if (!isDatabaseAway(error)) throw error
}
