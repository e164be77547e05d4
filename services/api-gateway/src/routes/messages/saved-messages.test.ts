import assert from 'node:assert/strict'
import { remindDue } from '@parley/chat/messages/remind'
import { key } from '@parley/db/keys'
import { claimReminders } from '@parley/db/messages/saved-messages'
import { eventually } from '@parley/stack/eventually'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

const hourMS = 3_600_000

let gateway: TestGateway
let alice: TestUser
let bob: TestUser
let room: string
beforeAll(async () => {
  gateway = await startTestGateway()
  ;[alice, bob] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  const { bookmarks, reminders } = gateway.chat.db
  await Promise.all([bookmarks.deleteMany({}), reminders.deleteMany({})])
  room = await gateway.newRoom([alice, bob], { owner: 'alice' })
})

async function send(message: unknown, more: object = {}): Promise<string> {
  const body = { room, sender: 'alice', message, messageType: 'text', ...more }
  return (await gateway.admin('POST', '/messages', body)).body.result._id
}
async function page(list: string, query = '', user = bob) {
  const { status, body } = await user.call('GET', `/me/${list}${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.result as { data: { messageID: string; message: { message: unknown } }[]; cursor?: string }
}
const ids = async (list: string, user = bob) => (await page(list, '', user)).data.map(({ messageID }) => messageID)
const save = (list: string, message: string, user = bob) =>
  list === 'bookmarks'
    ? user.call('PUT', `/me/bookmarks/${message}`)
    : user.call('POST', '/me/reminders', { message, remindAtMS: Date.now() + hourMS })

describe.each(['bookmarks', 'reminders'])('%s', (list) => {
  test('are listed with their messages, and deleted; other users do not see them', async () => {
    const id = await send({ n: 1 })
    assert.equal((await save(list, id)).status, 200)
    const { data } = await page(list)
    assert.deepEqual([data.length, data[0]?.messageID, data[0]?.message.message], [1, id, { n: 1 }])
    assert.deepEqual(await ids(list, alice), [])
    const removed = async (user: TestUser) => (await user.call('DELETE', `/me/${list}/${id}`)).body.result.removed
    assert.deepEqual([await removed(alice), await removed(bob), await removed(bob)], [0, 1, 0])
    assert.deepEqual(await ids(list), [])
  })

  test('of messages in threads too', async () => {
    const root = await send('root')
    const reply = await send('reply', { replyTo: root, thread: true })
    const saved = (await save(list, reply)).body.result
    assert.deepEqual([saved.threadOf, await ids(list)], [root, [reply]])
  })

  test.each([
    ['deleted for all', (id: string) => gateway.admin('DELETE', `/rooms/${room}/messages/${id}`)],
    ['deleted with all of the room', () => gateway.admin('DELETE', `/rooms/${room}/messages/_all`)],
    ['deleted for oneself', (id: string) => bob.call('POST', '/messages/user-delete', { room, messages: [id] })],
    ['recalled', (id: string) => alice.call('POST', `/rooms/${room}/message`, { _id: id, messageType: 'recall' })],
    ['in a room that was left', () => gateway.admin('POST', `/rooms/${room}/delete/members`, { members: ['bob'] })],
    ['in a room that was deleted', () => gateway.admin('DELETE', `/rooms/${room}`)],
  ])('of a message %s are gone, and cannot be made', async (_what, act) => {
    const id = await send('x')
    await save(list, id)
    const { status, body } = await act(id)
    assert.ok(status < 300, JSON.stringify(body))
    assert.deepEqual(await ids(list), [])
    assert.equal(await gateway.chat.db[list as 'bookmarks'].countDocuments({}), 0)
    assert.match((await save(list, id)).body.error.code, /^(MESSAGE_NOT_FOUND|ROOM_NOT_FOUND|NOT_ROOM_MEMBER)$/)
  })

  test('are limited in number', async () => {
    const first = await send('first')
    await save(list, first)
    const { db } = gateway.chat
    const of = { app: gateway.app, user: 'bob', userKey: key(gateway.app, 'bob'), room, atMS: 1, createdAtMS: 1 }
    const max = list === 'bookmarks' ? 10_000 : 1_000
    const others = Array.from({ length: max - 1 }, (_, i) => ({
      _id: key(gateway.app, 'bob', `${i}`),
      message: `${i}`,
      ...of,
    }))
    await db[list as 'bookmarks'].insertMany(others)
    assert.equal((await save(list, first)).status, 200, 'one that is there')
    refused(await save(list, await send('one more')), 409, 'TOO_MANY_SAVED')
  })

  test('of an erased user are removed', async () => {
    const eve = await gateway.newUser(`eve of ${list}`)
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [eve.id] })
    await save(list, await send('x'), eve)
    const of = { userKey: key(gateway.app, eve.id) }
    const count = () => gateway.chat.db[list as 'bookmarks'].countDocuments(of)
    assert.equal(await count(), 1)
    await gateway.admin('DELETE', `/admin/clients/${encodeURIComponent(eve.id)}`)
    await eventually('they are removed', async () => (await count()) === 0)
  })
})

test('bookmarks are paged, newest first, and keep their position when repeated', async () => {
  const sent = [await send('1'), await send('2'), await send('3')]
  for (const id of sent) await save('bookmarks', id)
  await save('bookmarks', sent[0] ?? '')
  const first = await page('bookmarks', '?limit=2')
  const second = await page('bookmarks', `?limit=2&cursor=${encodeURIComponent(first.cursor ?? '')}`)
  const found = [...first.data, ...second.data].map(({ messageID }) => messageID)
  assert.deepEqual([found, second.cursor], [sent.toReversed(), undefined])
})

describe('a reminder', () => {
  const stored = () => gateway.chat.db.reminders.find({}).toArray()
  /** How often the event of each message was published. */
  const events = async (...messages: string[]) => {
    const notes = await gateway.chat.db.publishedEvents.find({ 'events.event': 'reminder' }).toArray()
    const text = JSON.stringify(notes.flatMap((note) => note.events.filter((event) => event.kind === 'event')))
    return messages.map((id) => text.split(id).length - 1)
  }
  const beDue = () => gateway.chat.db.reminders.updateMany({}, { $set: { nextMS: Date.now() } })

  test('of the same message replaces the earlier one', async () => {
    const id = await send('x')
    await save('reminders', id)
    const remindAtMS = Date.now() + 2 * hourMS
    await bob.call('POST', '/me/reminders', { message: id, remindAtMS })
    assert.deepEqual(
      (await stored()).map(({ atMS }) => atMS),
      [remindAtMS],
    )
  })

  test.each([Date.now() - 1, Date.now() + 400 * 24 * hourMS])(
    'in the past or beyond a year is refused',
    async (remindAtMS) => {
      refused(await bob.call('POST', '/me/reminders', { message: await send('x'), remindAtMS }), 400, 'INVALID_REQUEST')
    },
  )

  test('is sent when due, not before, and once', async () => {
    const [due, later] = [await send('due'), await send('later')]
    await save('reminders', due)
    await remindDue(gateway.chat)
    assert.equal((await stored()).length, 1)
    await beDue()
    await save('reminders', later)
    await Promise.all([remindDue(gateway.chat), remindDue(gateway.chat)])
    await eventually('it comes', async () => (await events(due))[0] === 1)
    assert.deepEqual([(await stored()).map(({ message }) => message), await events(due, later)], [[later], [1, 0]])
  })

  test('is not sent if it is deleted or moved while a process handles it, or its message is gone', async () => {
    const [deleted, moved, gone, left] = [await send('1'), await send('2'), await send('3'), await send('4')]
    for (const id of [deleted, moved, gone, left]) await save('reminders', id)
    await beDue()
    await gateway.admin('DELETE', `/rooms/${room}/messages/${gone}`)
    const { db } = gateway.chat
    assert.equal((await claimReminders(db, 'dead', 200)).length, 4)
    await bob.call('DELETE', `/me/reminders/${deleted}`)
    await save('reminders', moved)
    // The process died: its leases end.
    await db.reminders.updateMany({ claim: 'dead' }, { $set: { nextMS: Date.now() } })
    await remindDue(gateway.chat)
    await eventually('that which is left comes', async () => (await events(left))[0] === 1)
    assert.deepEqual(
      (await stored()).map(({ message }) => message),
      [moved],
    )
    assert.deepEqual(await events(deleted, moved, gone), [0, 0, 0])
  })
})
