import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startWithAliceAndBob, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('a listed word is masked', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  let message: string
  const send = async (content: unknown) =>
    (await alice.call('POST', `/rooms/${room}/message`, { message: content, messageType: 'image' })).body.result
  beforeAll(async () => {
    ;({ gateway, alice, bob } = await startWithAliceAndBob())
    await gateway.admin('POST', '/config', { censorship: { keywords: ['darn'] } })
    room = await gateway.newRoom([alice, bob], { owner: 'alice' })
    message = (await send('fine'))._id
  })
  afterAll(() => gateway.stop())

  test('in captions, titles and names of the content at any depth, but not in its URLs', async () => {
    const content = {
      ...{
        url: 'https://x/darn',
        fallback: 'darn',
        caption: 'darn',
        title: 'oh darn',
        fileName: 'darn.pdf',
        kind: 'darn',
      },
      poll: { question: 'darn?', options: ['darn', { text: 'darn', id: 'darn' }] },
    }
    assert.deepEqual((await send(content)).message, {
      ...{
        url: 'https://x/darn',
        fallback: '****',
        caption: '****',
        title: 'oh ****',
        fileName: '****.pdf',
        kind: 'darn',
      },
      poll: { question: '****?', options: ['****', { text: '****', id: 'darn' }] },
    })
  })

  test('in reactions, which their user can still remove by the word', async () => {
    const path = `/messages/${message}/reaction`
    const { body } = await bob.call('POST', path, { reaction: 'darn' })
    assert.deepEqual(body.result.reactions, [{ client: 'bob', reaction: '****' }])
    const removed = await bob.call('DELETE', `${path}?reaction=darn`)
    assert.deepEqual(removed.body.result.reactions, [])
  })

  test('in typing texts and streamed texts', async () => {
    const heard = await gateway.hear()
    await alice.call('POST', `/rooms/${room}/typing`, { message: 'darn' })
    assert.equal((await heard.next('typing')).payload?.['message' as never], '****')
    const robot = await gateway.newUser('robot', { isRobot: true })
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [robot.id] })
    await gateway.admin('POST', `/rooms/${room}/aiStreaming`, { sender: 'robot', text: 'darn' })
    assert.equal((await heard.next('ai_streaming')).payload?.['text' as never], '****')
    const opened = await gateway.admin('POST', '/messages/stream', { room, sender: 'robot' })
    const id = opened.body.result._id as string
    await gateway.admin('POST', `/messages/${id}/stream`, { text: 'oh darn' })
    const piece = await heard.next('ai_streaming', ({ message: of }: { message?: string }) => of === id)
    assert.equal(piece.payload?.['text' as never], 'oh ****')
  })

  test('in names and descriptions of rooms, and in names of files', async () => {
    const made = await gateway.admin('POST', '/rooms/', { roomType: 'group', members: ['alice'], name: 'darn' })
    assert.equal(made.body.result.name, '****')
    const changed = await alice.call('PUT', `/rooms/${room}`, { name: 'oh darn', description: 'darn' })
    assert.deepEqual([changed.body.result.name, changed.body.result.description], ['oh ****', '****'])
    const file = await alice.call('POST', '/files', { name: 'darn.pdf', type: 'application/pdf', size: 1 })
    assert.equal(file.body.result.name, '****.pdf')
  })

  test('a user can give a message at most 20 reactions: 400 INVALID_REQUEST', async () => {
    const react = (user: TestUser, i: number) =>
      user.call('POST', `/messages/${message}/reaction`, { reaction: `r${i}` })
    for (let i = 0; i < 20; i++) assert.equal((await react(bob, i)).status, 200)
    const over = await react(bob, 20)
    assert.deepEqual([over.status, over.body.error.code], [400, 'INVALID_REQUEST'])
    assert.equal((await react(bob, 19)).status, 200, 'one that is there changes nothing')
    assert.equal((await react(alice, 20)).status, 200)
  })
})
