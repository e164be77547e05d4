import assert from 'node:assert/strict'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import { closeSilentStreams } from '@parley/chat/messages/end-stream'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

const patient = { timeout: 60_000, interval: 100 }

describe('POST /messages/stream', () => {
  let gateway: TestGateway
  let robot: TestUser
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    robot = await gateway.newUser('robot', { isRobot: true })
    room = await gateway.newRoom([robot])
  })
  afterAll(() => gateway.stop())

  const open = (more: object = {}) => robot.call('POST', '/messages/stream', { room, ...more })
  const history = async () => (await robot.call('GET', `/rooms/${room}/messages/v3`)).body.result.data
  const streams = () => gateway.chat.db.messageStreams.countDocuments()

  test('sends no message before its stream is recorded, so that its end cannot be missed', async () => {
    const { mongo } = gateway.chat.db
    const only = (validator: object) => mongo.command({ collMod: 'messageStreams', validator })
    await only({ never: { $exists: true } })
    assert.equal((await open()).status, 500)
    assert.deepEqual(await history(), [])
    await only({})
    assert.equal((await open()).status, 200)
    assert.equal(await streams(), 1)
  })

  test('leaves no second stream for a refused message or a repeated clientMessageID', async () => {
    const before = await streams()
    assert.equal((await open({ room: 'no room' })).status, 404)
    assert.equal(await streams(), before)
    const [first, again] = [await open({ clientMessageID: 'one' }), await open({ clientMessageID: 'one' })]
    assert.equal(again.body.result._id, first.body.result._id)
    assert.equal(await streams(), before + 1)
    const { _id } = first.body.result
    assert.equal((await robot.call('POST', `/messages/${_id}/stream`, { text: 'Hello' })).status, 200)
    assert.equal((await robot.call('POST', `/messages/${_id}/stream/end`)).body.result.message, 'Hello')
    assert.equal(await streams(), before)
  })
  test('keeps every acknowledged piece, whichever gateways the pieces and the end go to', async () => {
    const other = await gateway.another()
    onTestFinished(() => other.stop())
    const { _id } = (await open()).body.result
    const append = (at: TestGateway, text: string) => at.admin('POST', `/messages/${_id}/stream`, { text })
    for (const [i, text] of ['One ', '$two ', 'three', ''].entries()) {
      const { body } = await append(i % 2 === 0 ? gateway : other, text)
      assert.equal(body.result.length, ['One ', 'One $two ', 'One $two three', 'One $two three'][i]?.length)
    }
    const sideBySide = await Promise.all(['a', 'b', 'c', 'd'].map((text, i) => append(i < 2 ? gateway : other, text)))
    const places = sideBySide.map(({ body }) => body.result.length).toSorted((a, b) => a - b)
    assert.deepEqual(places, [15, 16, 17, 18])
    const ended = (await other.admin('POST', `/messages/${_id}/stream/end`, {})).body.result
    assert.match(ended.message, /^One \$two three[abcd]{4}$/)
    assert.deepEqual(new Set(ended.message.slice(-4)), new Set('abcd'))
  })

  describe('stops taking pieces', () => {
    const ways: Record<string, (id: string) => Promise<{ status: number }>> = {
      'when it is recalled': (_id) => robot.call('POST', `/rooms/${room}/message`, { _id, messageType: 'recall' }),
      'when it is edited': (_id) => robot.call('POST', `/rooms/${room}/message`, { _id, message: 'edited' }),
      'when it is deleted for all': (id) => gateway.admin('DELETE', `/rooms/${room}/messages/${id}`),
      'when all of the room is deleted': () => gateway.admin('DELETE', `/rooms/${room}/messages/_all`),
    }
    for (const [when, change] of Object.entries(ways)) {
      test(when, async () => {
        const heard = await gateway.hear()
        const { body: root } = await robot.call('POST', `/rooms/${room}/message`, { message: 'root', messageType: 'x' })
        const inThread = { replyTo: root._id ?? root.result._id, thread: true }
        for (const more of [inThread, {}]) {
          const { _id } = (await open(more)).body.result
          const append = (text: string) => robot.call('POST', `/messages/${_id}/stream`, { text })
          assert.equal((await append('before')).status, 200)
          assert.equal((await change(_id)).status, 200)
          const { status, body } = await append('after')
          assert.deepEqual([status, body.error?.code], [404, 'MESSAGE_NOT_FOUND'])
        }
        const { _id: last } = (await open()).body.result
        await robot.call('POST', `/messages/${last}/stream`, { text: 'last' })
        await heard.next('ai_streaming', ({ text }: { text: string }) => text === 'last')
        const texts = heard.events.filter(({ event }) => event === 'ai_streaming').map(({ payload }) => payload)
        assert.deepEqual(
          texts.map((payload) => (payload as { text: string }).text),
          ['before', 'before', 'last'],
        )
      })
    }
  })

  test('takes at most 65,536 characters, also from concurrent pieces', async () => {
    const { _id } = (await open()).body.result
    const append = () => robot.call('POST', `/messages/${_id}/stream`, { text: 'x'.repeat(40_000) })
    const pieces = await Promise.all([append(), append()])
    assert.deepEqual(
      pieces.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 413],
    )
    const ended = await robot.call('POST', `/messages/${_id}/stream/end`)
    assert.equal(ended.body.result.message, 'x'.repeat(40_000))
  })

  test('ends after silence, even if the end of another stream fails', async () => {
    const { db } = gateway.chat
    const { mongo } = db
    const [failing, good] = [(await open()).body.result._id, (await open()).body.result._id]
    const silent = (message: string, closeAtMS: number) =>
      db.messageStreams.updateOne({ message }, { $set: { closeAtMS } })
    await Promise.all([silent(failing, 1), silent(good, 2)])
    const streaming = { $exists: false }
    await mongo.command({ collMod: 'messages', validator: { $nor: [{ _id: failing, streaming }] } })
    const stop = new AbortController()
    const closing = runWorkers(gateway.chat, [closeSilentStreams(gateway.chat)], stop.signal)
    const left = () => db.messageStreams.distinct('message', { closeAtMS: { $lte: 2 } })
    try {
      await vi.waitFor(async () => assert.deepEqual(await left(), [failing]), patient)
      await mongo.command({ collMod: 'messages', validator: {} })
      await vi.waitFor(async () => assert.deepEqual(await left(), []), patient)
    } finally {
      await mongo.command({ collMod: 'messages', validator: {} })
      stop.abort()
      await closing
    }
  })

  describe('is found by every word', () => {
    const found = async (keyword: string) => (await robot.call('POST', '/search', { keyword, room })).body.result
    /** The history has it up to `text`, and the index is past it. */
    async function shown(text: string): Promise<string> {
      const { _id } = (await open()).body.result
      assert.deepEqual((await found(text)).messages, [])
      await robot.call('POST', `/messages/${_id}/stream`, { text })
      const isShown = async () => assert.equal((await history())[0].message, text)
      await vi.waitFor(isShown, patient)
      return _id
    }

    test('after a late end', async () => {
      const _id = await shown('zebra')
      await robot.call('POST', `/messages/${_id}/stream/end`)
      assert.deepEqual((await found('zebra')).messages, [{ room, messages: [_id] }])
    })

    test('after its robot left', async () => {
      const _id = await shown('giraffe')
      const { db } = gateway.chat
      const witness = await gateway.newUser()
      await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [witness.id] })
      await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: [robot.id] })
      await db.messageStreams.updateOne({ message: _id }, { $set: { closeAtMS: 1 } })
      const stop = new AbortController()
      const closing = runWorkers(gateway.chat, [closeSilentStreams(gateway.chat)], stop.signal)
      await vi.waitFor(async () => assert.equal(await db.messageStreams.countDocuments({ message: _id }), 0), patient)
      stop.abort()
      await closing
      const { body } = await witness.call('POST', '/search', { keyword: 'giraffe', room })
      assert.deepEqual(body.result.messages, [{ room, messages: [_id] }])
      await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [robot.id] })
    })
  })

  test('keeps a character that is split between two pieces', async () => {
    const { _id } = (await open()).body.result
    const pieces = ['a\ud83d', '\ude00b', '\ud83d']
    for (const text of pieces) await robot.call('POST', `/messages/${_id}/stream`, { text })
    const { message } = (await robot.call('POST', `/messages/${_id}/stream/end`)).body.result
    assert.equal(message, pieces.join(''))
  })

  test('refuses new content at its end while the room is frozen, and can continue after', async () => {
    const room = await gateway.newRoom([robot])
    const { _id } = (await open({ room })).body.result
    const append = (text: string) => robot.call('POST', `/messages/${_id}/stream`, { text })
    const end = (body: object) => robot.call('POST', `/messages/${_id}/stream/end`, body)
    await append('one ')
    await gateway.admin('PUT', `/rooms/${room}`, { status: 0 })
    const refused = await end({ message: 'other' })
    assert.deepEqual([refused.status, refused.body.error?.code], [403, 'ROOM_FROZEN'])
    await gateway.admin('PUT', `/rooms/${room}`, { status: 1 })
    assert.equal((await append('two')).status, 200)
    await gateway.admin('PUT', `/rooms/${room}`, { status: 0 })
    assert.equal((await end({})).body.result.message, 'one two')
  })

  test('stores repeated pieces once', async () => {
    const { _id } = (await open()).body.result
    const append = (body: object) => robot.call('POST', `/messages/${_id}/stream`, body)
    const whole = 'x'.repeat(60_000)
    for (let i = 0; i < 20; i += 1) assert.equal((await append({ at: 0, text: whole })).status, 200)
    assert.equal((await append({ text: '' })).body.result.length, 60_000)
    const kept = await gateway.chat.db.messageStreams.findOne({ message: _id })
    assert.equal(kept?.parts.length, 1)
    assert.equal((await robot.call('POST', `/messages/${_id}/stream/end`)).body.result.message, whole)
  })
})
