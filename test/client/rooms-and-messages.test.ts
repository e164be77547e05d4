import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform } from '../platform.ts'
import { clientOf, type Deployment, deploy, online, texts } from './client-of.ts'

describe("a client's rooms and messages", () => {
  let deployment: Deployment
  let platform: Platform
  beforeAll(async () => {
    deployment = await deploy()
    platform = deployment.platform
  })
  afterAll(() => deployment.stop())

  const twoInARoom = async () => {
    const [alice, bob] = await Promise.all([platform.newUser(), platform.newUser()])
    const room = await platform.newRoom([alice.id, bob.id])
    const say = async (message: unknown, sender = bob) =>
      String(
        (await platform.admin('POST', '/messages', { room, sender: sender.id, message, messageType: 'text' }))['_id'],
      )
    return { alice, bob, room, say }
  }

  test('rooms, unread counts and the badge follow events and agree with the server', async () => {
    const { alice, bob, room, say } = await twoInARoom()
    const before = await say('before')
    const client = clientOf(deployment, alice)
    await online(client)
    assert.deepEqual(
      client.rooms.get().map(({ _id, unread, lastMessage }) => [_id, unread, lastMessage?.message]),
      [[room, 1, 'before']],
    )
    await say('after')
    await say('my own', alice)
    await eventually('the latest', () => client.rooms.get()[0]?.lastMessage?.message === 'my own')
    assert.equal(client.badge.get(), 2)
    await bob.call('POST', `/rooms/${room}/message`, { _id: before, messageType: 'recall' })
    await eventually('the recalled one counts no more', () => client.badge.get() === 1)

    const second = await platform.newRoom([alice.id, bob.id], { name: 'second' })
    await eventually('the new room', () => client.rooms.get().some(({ _id }) => _id === second))
    await platform.admin('PUT', `/rooms/${second}`, { name: 'renamed' })
    await eventually('its new name', () => client.room(second).info.get()?.name === 'renamed')
    await platform.admin('POST', `/rooms/${second}/delete/members`, { members: [alice.id] })
    await eventually('it is gone', () => client.room(second).info.get() === undefined)
    assert.deepEqual(await alice.call('GET', '/me/badge'), { badge: client.badge.get() })
  })

  test('tabs with the same device ID get each other’s changes', async () => {
    const { alice, room } = await twoInARoom()
    const shared = { deviceID: 'browser', sharesDevice: true }
    const [tab, other] = [clientOf(deployment, alice, shared), clientOf(deployment, alice, shared)]
    await Promise.all([online(tab), online(other)])
    await tab.room(room).setPref({ sticky: true })
    await eventually('the other hears it', () => other.room(room).info.get()?.pref?.sticky === true)
  })

  test('an opened room shows new, edited, reacted and deleted messages, and loads older pages by seq', async () => {
    const { alice, room, say } = await twoInARoom()
    const ids: string[] = []
    for (let n = 1; n <= 7; n++) ids.push(await say(n))
    const client = clientOf(deployment, alice)
    await online(client)
    await client.room(room).setPref({ sticky: true })
    client.room(room).markRead(ids[6])
    await eventually('all is read', () => client.badge.get() === 0)
    // An edit moves a message to the end of the order of updates, but not of this list.
    await platform.admin('POST', `/rooms/${room}/message`, {
      _id: ids[0],
      sender: await lastSender(client, room),
      message: 'one',
    })
    await client.room(room).open({ limit: 3 })
    assert.deepEqual(texts(client, room), [5, 6, 7])
    assert.equal(client.room(room).history.get().hasOlder, true)
    await client.room(room).loadOlder(10)
    assert.deepEqual(texts(client, room), ['one', 2, 3, 4, 5, 6, 7])
    assert.equal(client.room(room).history.get().hasOlder, false)

    await client.room(room).react(String(ids[1]), '👍')
    assert.equal(client.room(room).messages.get()[1]?.reactionCount, 1)
    await client.room(room).deleteForMe([String(ids[2])])
    await platform.admin('DELETE', `/rooms/${room}/messages/${ids[3]}`)
    await eventually('it is deleted', () =>
      client
        .room(room)
        .messages.get()
        .some(({ isDeleted }) => isDeleted),
    )
    await say(8)
    await eventually('the new one', () => texts(client, room).includes(8))
    assert.deepEqual(texts(client, room), ['one', 2, undefined, 5, 6, 7, 8])

    const again = clientOf(deployment, alice)
    await online(again)
    await again.room(room).open()
    const stubs = (client_: typeof client) =>
      client_
        .room(room)
        .messages.get()
        .map(({ updatedAtMS: _updated, ...shown }) => shown)
    assert.deepEqual(stubs(again), stubs(client), 'a fresh client sees the same')
  })

  test('a room that removed and readded its user shows the messages of the meantime', async () => {
    const { alice, room, say } = await twoInARoom()
    const deleted = await say('deleted meanwhile')
    await say('kept')
    const client = clientOf(deployment, alice)
    await client.room(room).open()
    await platform.admin('POST', `/rooms/${room}/delete/members`, { members: [alice.id] })
    await eventually('it is gone', () => client.room(room).info.get() === undefined)
    await platform.admin('DELETE', `/rooms/${room}/messages/${deleted}`)
    await say('said meanwhile')
    await platform.admin('POST', `/rooms/${room}/members`, { invitees: [alice.id] })
    await eventually('it is there again', () => client.room(room).info.get() !== undefined)
    await eventually('what was said meanwhile', () => texts(client, room).includes('said meanwhile'))
    assert.equal(client.room(room).messages.get()[0]?.isDeleted, true)
  })

  const lastSender = async (client: ReturnType<typeof clientOf>, room: string) =>
    client.room(room).info.get()?.lastMessage?.sender._id

  test('a room opens at the first unread message, however far back, and around a given message', async () => {
    const { alice, room, say } = await twoInARoom()
    const ids: string[] = []
    for (let n = 1; n <= 12; n++) ids.push(await say(n))
    await alice.call('PUT', `/rooms/${room}/lastRead`, { message: ids[3] })
    const client = clientOf(deployment, alice)
    // Waits for the login.
    await client.room(room).open({ limit: 2 })
    assert.equal(client.room(room).firstUnread.get(), ids[4])

    const other = clientOf(deployment, alice)
    await online(other)
    await other.room(room).open({ limit: 2, around: String(ids[5]) })
    assert.deepEqual(texts(other, room), [4, 5, 6, 7, 8])
    await say(13)
    await eventually('it is heard of', () => other.rooms.get()[0]?.lastMessage?.message === 13)
    assert.deepEqual(texts(other, room), [4, 5, 6, 7, 8], 'no hole is shown')
    await other.room(room).loadNewer()
    assert.deepEqual(texts(other, room).at(-1), 13)
    assert.equal(other.room(room).history.get().hasNewer, false)
  })

  test('read markers update the badge of all devices, and the readers of a message', async () => {
    const { alice, bob, room, say } = await twoInARoom()
    const first = await say('first')
    const mine = await say('mine', alice)
    const [phone, laptop] = [clientOf(deployment, alice), clientOf(deployment, alice)]
    await Promise.all([online(phone), online(laptop)])
    await laptop.room(room).open()
    await say('second')
    await eventually('both have it', () => [phone, laptop].every((client) => client.badge.get() === 2))
    laptop.room(room).markRead(first)
    await eventually('both count one less', () => [phone, laptop].every((client) => client.badge.get() === 1))
    laptop.room(room).markRead()
    await eventually('both have read all', () => [phone, laptop].every((client) => client.badge.get() === 0))
    await say('third')
    await eventually('it counts', () => [phone, laptop].every((client) => client.badge.get() === 1))

    await bob.call('PUT', `/rooms/${room}/lastRead`, { message: mine })
    await eventually('bob has read it', () => laptop.room(room).readBy(mine).includes(bob.id))
    await phone.room(room).open()
    await eventually('a later client knows too', () => phone.room(room).readBy(mine).includes(bob.id))
  })

  test('a thread is live once opened, counted on its root message, and unread for participants', async () => {
    const { alice, bob, room, say } = await twoInARoom()
    const about = await say('the plan', alice)
    const [a, b] = [clientOf(deployment, alice), clientOf(deployment, bob)]
    await Promise.all([a.room(room).open(), b.room(room).open()])
    const [alices, bobs] = [a.room(room).thread(about), b.room(room).thread(about)]
    assert.equal(a.room(room).thread(about), alices)
    await bobs.open()
    const first = await bobs.send('a question')
    await eventually('it counts for Alice, who wrote the message', () => alices.unread.get() === 1)
    const root = () => a.room(room).messages.get()[0]
    assert.deepEqual([root()?.threadCount, root()?.lastThreadMessage?.text], [1, 'a question'])
    assert.deepEqual(texts(a, room), ['the plan'])
    assert.equal(a.badge.get(), 0)

    await alices.open()
    await alices.send('an answer', { replyTo: first._id })
    const shown = (thread: typeof alices) => thread.messages.get().map(({ message }) => message)
    await eventually('bob has it', () => shown(bobs).length === 2)
    assert.deepEqual([shown(alices), shown(bobs)], [shown(bobs), ['a question', 'an answer']])
    assert.equal(bobs.messages.get()[1]?.replyTo?.text, 'a question')
    await b.room(room).edit(first._id, 'a better question')
    await a.room(room).react(first._id, '👍')
    await eventually('both see the edit', () =>
      [alices, bobs].every((thread) => shown(thread)[0] === 'a better question'),
    )
    assert.equal(alices.messages.get()[0]?.reactionCount, 1)
    assert.equal(alices.messages.get()[1]?.replyTo?.text, 'a better question')

    alices.markRead()
    assert.equal(alices.unread.get(), 0)
    await eventually(
      'Parley knows it',
      async () => (await alice.call('GET', `/messages/${about}/thread`))['unread'] === 0,
    )
    await bobs.send('one more')
    await platform.admin('DELETE', `/rooms/${room}/messages/${first._id}`)
    await eventually('it is deleted', () => alices.messages.get()[0]?.isDeleted === true)
    await eventually('one is unread', () => alices.unread.get() === 1)
    await eventually('three were sent', () => alices.root.get()?.threadCount === 3 && root()?.threadCount === 3)

    const late = clientOf(deployment, alice)
    await late.room(room).thread(about).open()
    const whole = (thread: typeof alices) =>
      thread.messages.get().map(({ updatedAtMS: _u, sender, ...message }) => [message, sender._id])
    assert.deepEqual(whole(late.room(room).thread(about)), whole(alices), 'a later client sees the same')
  })

  test('users are typing until their message arrives', async () => {
    const { alice, bob, room } = await twoInARoom()
    const [a, b] = [clientOf(deployment, alice), clientOf(deployment, bob)]
    await Promise.all([online(a), online(b)])
    b.room(room).typed('Hel')
    await eventually('bob is typing', () => a.room(room).typing.get()[0]?.text === 'Hel')
    await b.room(room).send('Hello')
    await eventually('no longer', () => a.room(room).typing.get().length === 0)
    b.room(room).typed()
    await eventually('bob types what is not shown', () => a.room(room).typing.get()[0]?.text === '…')
    const whenCleared: number[] = []
    a.on('typing', ({ message }) => {
      if (message === '') queueMicrotask(() => whenCleared.push(a.room(room).typing.get().length))
    })
    b.room(room).typed('')
    await eventually('the text is cleared', () => whenCleared.length > 0)
    assert.deepEqual(whenCleared, [0], 'nobody is typing')
  })
})
