import assert from 'node:assert/strict'
import { rebuildSince } from '@parley/chat/events/rebuild-stream'
import { currentCallData, waitedCallData } from '@parley/chat/integrations/call-data'
import type { Message } from '@parley/contracts/resources/message'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

describe('a reply', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let stranger: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
    stranger = await gateway.newUser('stranger')
  })
  afterAll(() => gateway.stop())

  const newRoom = () => gateway.newRoom([alice, bob], { owner: 'alice' })
  const post = (room: string, message: unknown, more: object = {}): Promise<Answer> =>
    gateway.admin('POST', '/messages', { room, sender: 'alice', message, messageType: 'text', ...more })
  const send = async (...given: Parameters<typeof post>): Promise<Message> => {
    const { status, body } = await post(...given)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }
  const history = async (room: string): Promise<Message[]> =>
    (await bob.call('GET', `/rooms/${room}/messages/v3?limit=500&timeRangeField=createdAt`)).body.result.data
  const stored = async (room: string, { _id }: Message) => (await history(room)).find((message) => message._id === _id)
  test('has a quote of its parent in every view, for every way of sending', async () => {
    const heard = await gateway.hear()
    const room = await newRoom()
    const parent = await send(room, 'How are you?')
    const quote = { _id: parent._id, sender: 'alice', messageType: 'text', text: 'How are you?', isDeleted: false }
    const byClient = { message: 'fine', messageType: 'text', replyTo: parent._id }
    const { body } = await bob.call('POST', `/rooms/${room}/message`, byClient)
    assert.deepEqual(body.result.replyTo, quote)
    const id = body.result._id
    const { payload } = await heard.next('chat message', ({ _id }: Message) => _id === id)
    assert.deepEqual((payload as Message).replyTo, quote)
    assert.deepEqual((await stored(room, body.result))?.replyTo, quote)
    assert.equal('replyTo' in ((await stored(room, parent)) ?? {}), false)

    const second = await send(room, 'good', { replyTo: id })
    assert.equal(second.replyTo?.text, 'fine')
    const rooms = (await bob.call('GET', '/rooms')).body.result.data
    const shown = rooms.find(({ _id }: Message) => _id === room)
    const alone = (await bob.call('GET', `/rooms/${room}`)).body.result
    assert.deepEqual([shown.lastMessage.replyTo.text, alone.lastMessage.replyTo.text], ['fine', 'fine'])
    const reacted = await bob.call('POST', `/messages/${second._id}/reaction`, { reaction: '👍' })
    assert.equal(reacted.body.result.replyTo.text, 'fine')
    assert.equal((await send(room, 'x', { replyTo: null })).replyTo, undefined)
  })

  test('quotes the first 200 characters of the stored text, and no other content', async () => {
    await gateway.admin('POST', '/config', { censorship: { keywords: ['damn'] } })
    const room = await newRoom()
    const quoteOf = async (message: unknown) => {
      const { _id } = await send(room, message)
      return (await send(room, 'reply', { replyTo: _id })).replyTo?.text
    }
    assert.equal(await quoteOf('😀'.repeat(300)), '😀'.repeat(200))
    assert.equal(await quoteOf({ text: 'damn it', url: 'x' }), '**** it')
    assert.equal(await quoteOf({ url: 'https://example.com' }), '')
    assert.equal(await quoteOf(7), '')
    await gateway.admin('DELETE', '/config/censorship')
  })

  test('to a message outside the room is 404 MESSAGE_NOT_FOUND; an invalid or misplaced replyTo is 400', async () => {
    const [room, other] = [await newRoom(), await newRoom()]
    const deleted = await send(room, 'deleted')
    await alice.call('DELETE', `/rooms/${room}/messages/${deleted._id}`)
    const elsewhere = await send(other, 'elsewhere')
    for (const replyTo of ['nothing', deleted._id, elsewhere._id]) {
      refused(await post(room, 'x', { replyTo }), 404, 'MESSAGE_NOT_FOUND', /^replyTo: /)
    }
    const earlier = await send(room, 'earlier')
    await alice.call('DELETE', `/rooms/${room}/messages/_all`)
    refused(await post(room, 'x', { replyTo: earlier._id }), 404, 'MESSAGE_NOT_FOUND', /^replyTo: /)
    assert.equal((await history(room))[0]?.seq, 2)

    const byStranger = { message: 'x', messageType: 'text', replyTo: 'nothing' }
    const notMember = await stranger.call('POST', `/rooms/${other}/message`, byStranger)
    refused(notMember, 403, 'NOT_ROOM_MEMBER', /./)
    for (const replyTo of [7, '', {}]) refused(await post(room, 'x', { replyTo }), 400, 'INVALID_REQUEST', /^replyTo: /)
    const edit = { _id: elsewhere._id, message: 'x', replyTo: elsewhere._id }
    refused(await alice.call('POST', `/rooms/${other}/message`, edit), 400, 'INVALID_REQUEST', /^replyTo: /)
    const batch = { message: 'x', messageType: 'text', sender: 'alice', paras: [{ room: other }] }
    const many = await gateway.admin('POST', '/messages/batch', { ...batch, replyTo: elsewhere._id })
    refused(many, 400, 'INVALID_REQUEST', /replyTo/)
  })

  test('repeated under its key returns the first one, even if its parent is gone', async () => {
    const room = await newRoom()
    const parent = await send(room, 'gone soon')
    const first = await send(room, 'reply', { replyTo: parent._id, clientMessageID: 'once' })
    await alice.call('DELETE', `/rooms/${room}/messages/${parent._id}`)
    const again = await send(room, 'reply', { replyTo: parent._id, clientMessageID: 'once' })
    assert.deepEqual([again._id, again.replyTo?.text, again.replyTo?.isDeleted], [first._id, '', true])
  })

  test('follows edits of its parent; recalled or deleted text is gone from quotes, events and retried webhook calls', async () => {
    const sinceMS = Date.now()
    const room = await newRoom()
    const call = (message: Message) => {
      const about = { app: gateway.app, room, event: 'MESSAGE', client: 'alice' }
      return { _id: 'call', ...about, data: JSON.stringify({ ...message, sender: { _id: 'alice' } }) }
    }
    const reply = async (text: string) => {
      const parent = await send(room, text)
      const replied = await send(room, 'reply', { replyTo: parent._id })
      assert.equal(replied.replyTo?.text, text)
      return { parent, replied }
    }
    const edited = await reply('before the edit')
    await alice.call('POST', `/rooms/${room}/message`, { _id: edited.parent._id, message: 'edited' })
    assert.equal((await stored(room, edited.replied))?.replyTo?.text, 'edited')

    const recalled = await reply('secret 1')
    await alice.call('POST', `/rooms/${room}/message`, { _id: recalled.parent._id, messageType: 'recall' })
    const deleted = await reply('secret 2')
    await alice.call('DELETE', `/rooms/${room}/messages/${deleted.parent._id}`)
    const ofRecalled = (await stored(room, recalled.replied))?.replyTo
    assert.deepEqual([ofRecalled?.text, ofRecalled?.messageType, ofRecalled?.isDeleted], ['', 'recall', false])
    const ofDeleted = (await stored(room, deleted.replied))?.replyTo
    assert.deepEqual([ofDeleted?.text, ofDeleted?.isDeleted, ofDeleted?.sender], ['', true, 'alice'])

    const { db } = gateway.chat
    for (const { replied } of [recalled, deleted]) {
      for (const data of [await waitedCallData(db, call(replied)), await currentCallData(db, call(replied))]) {
        assert.match(data, /"reply"/)
        assert.doesNotMatch(data, /secret/)
      }
    }
    const unchanged = call(edited.replied)
    assert.equal(await waitedCallData(db, unchanged), unchanged.data)

    const heard = await gateway.hear()
    await rebuildSince(gateway.chat, sinceMS, () => undefined)
    await heard.next('chat message', ({ _id }: Message) => _id === deleted.replied._id)
    const again = heard.events.filter(({ event }) => event === 'chat message').map(({ payload }) => payload as Message)
    assert.equal(again.find(({ _id }) => _id === edited.replied._id)?.replyTo?.text, 'edited')
    assert.doesNotMatch(JSON.stringify(again), /secret/)
    await alice.call('DELETE', `/rooms/${room}/messages/_all`)
    assert.equal((await history(room)).filter(({ replyTo }) => replyTo?.isDeleted && replyTo.text === '').length, 3)
  })
})
