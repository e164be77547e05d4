import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendDue } from '@parley/chat/messages/send-scheduled'
import { eventually } from '@parley/stack/eventually'
import { afterAll, beforeAll, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'
import { importLines as importInto, type Line } from './test-import.ts'

let gateway: TestGateway
let folder: string
beforeAll(async () => {
  gateway = await startTestGateway()
  folder = await mkdtemp(join(tmpdir(), 'import-members-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await gateway.stop()
})

const importLines = (lines: readonly Line[]) => importInto(gateway, folder, lines)

const user = (_id: string): Line => ({ type: 'user', _id })
const member = (room: string, name: string): Line => ({ type: 'membership', room, user: name })

test('a member banned or blocked earlier can only read; an invitation ends', async () => {
  const [pia, quin, ruth] = await Promise.all(['pia', 'quin', 'ruth'].map((id) => gateway.newUser(id)))
  assert.ok(pia && quin && ruth)
  const lines = [
    ...['pia', 'quin', 'ruth'].map(user),
    { type: 'room', _id: 'club', roomType: 'group', owner: 'quin' },
    { type: 'room', _id: 'two', roomType: 'direct', members: ['pia', 'quin'] },
    ...['pia', 'quin'].map((name) => member('club', name)),
  ]
  const both = ['pia', 'quin'].map((name) => member('two', name))
  assert.equal((await quin.call('POST', '/blockStatus/my/pia')).status, 200)
  await importLines([...lines, ...both])
  const send = async (by: typeof pia, room: string) => {
    return (await by.call('POST', `/rooms/${room}/message`, { message: 'hi', messageType: 'text' })).status
  }
  assert.equal(await send(pia, 'two'), 403)

  assert.equal((await quin.call('POST', '/blockStatus/room/club/pia')).status, 200)
  assert.equal((await gateway.admin('POST', '/rooms/club/delete/members', { members: ['pia'] })).status, 200)
  const invited = { invitees: ['ruth'], invitationRequired: true }
  assert.equal((await quin.call('POST', '/rooms/club/members', invited)).status, 200)
  await importLines([...lines, member('club', 'ruth'), ...both])
  assert.equal(await send(pia, 'club'), 403)
  assert.equal(await send(ruth, 'club'), 200)
  assert.deepEqual((await ruth.call('GET', '/invitations')).body.result.data, [])
})

test('invitations are added once, newest first, and not to members', async () => {
  const invitation = (room: string, more: Line = {}) => ({ type: 'invitation', room, invitee: 'tess', ...more })
  const group = (_id: string) => [{ type: 'room', _id, roomType: 'group' }, member(_id, 'sam')]
  const lines = [
    ...['sam', 'tess'].map(user),
    ...['first', 'second', 'mine'].flatMap(group),
    member('mine', 'tess'),
    invitation('second', { inviter: 'sam', createdAt: '2024-01-02T00:00:00Z' }),
    invitation('first', { createdAt: '2024-01-01T00:00:00Z' }),
    invitation('mine'),
  ]
  for (let n = 0; n < 2; n++) {
    await importLines(lines)
    const tess = await gateway.newUser('tess')
    assert.partialDeepStrictEqual((await tess.call('GET', '/invitations')).body.result.data, [
      { room: 'second', inviter: 'sam', createdAt: '2024-01-02T00:00:00.000Z' },
      { room: 'first', inviter: '' },
    ])
  }
})

test('bookmarks and reminders are added once, and no reminder whose time has passed', async () => {
  const of = { user: 'uma', room: 'marks' }
  const message = (n: number) => {
    const sent = { room: 'marks', sender: 'uma', messageType: 'text', message: `message ${n}` }
    return { type: 'message', _id: `m${n}`, ...sent, createdAt: 1_700_000_000_000 + n }
  }
  const lines = [
    { type: 'reminder', ...of, message: 'm1', remindAt: Date.now() + 3_600_000, createdAt: 1_700_000_000_000 },
    { type: 'reminder', ...of, message: 'm2', remindAt: Date.now() - 60_000 },
    { type: 'bookmark', ...of, message: 'm1', createdAt: 1_700_000_000_001 },
    { type: 'bookmark', ...of, message: 'm2', createdAt: 1_700_000_000_002 },
    user('uma'),
    { ...user('erased'), erased: true },
    { type: 'bookmark', ...of, user: 'erased', message: 'm1' },
    { type: 'room', _id: 'marks', roomType: 'group' },
    member('marks', 'uma'),
    ...[1, 2].map(message),
  ]
  for (let n = 0; n < 2; n++) {
    await importLines(lines)
    const uma = await gateway.newUser('uma')
    const texts = async (list: string) =>
      (await uma.call('GET', `/me/${list}`)).body.result.data.map((one: { message: Line }) => one.message['message'])
    assert.deepEqual([await texts('bookmarks'), await texts('reminders')], [['message 2', 'message 1'], ['message 1']])
    const { db } = gateway.chat
    assert.equal(await db.bookmarks.countDocuments({ user: 'erased' }), 0)
  }
})

test('a room gets slow mode and expiry from its line', async () => {
  const limits = { slowModeS: 30, expiresInS: 3600 }
  await importLines([user('slow'), { type: 'room', _id: 'calm', roomType: 'group', ...limits }, member('calm', 'slow')])
  const slow = await gateway.newUser('slow')
  const { body } = await slow.call('GET', '/rooms/calm')
  assert.deepEqual([body.result.slowModeS, body.result.expiresInS], [30, 3600])
})

test('unread counts stay exact for a member missing from the second file', async () => {
  const message = (n: number, sender: string, more: Line = {}): Line => ({
    ...{ type: 'message', _id: `m${n}`, room: 'left', sender, messageType: 'text', createdAt: Date.now() - 1_000 },
    ...(more['isDeleted'] !== true && { message: `message ${n}` }),
    ...more,
  })
  const lines = [...['ann', 'dan'].map(user), { type: 'room', _id: 'left', roomType: 'group' }, member('left', 'ann')]
  const first = message(1, 'ann', { createdAt: Date.now() - 60_000 })
  await importLines([...lines, member('left', 'dan'), first])
  await importLines([...lines, first, message(2, 'dan'), message(3, 'dan', { isDeleted: true }), message(4, 'ann')])
  const dan = await gateway.newUser('dan')
  assert.equal((await dan.call('GET', '/me/badge')).body.result.badge, 1)
})

test('messages deleted by a user stay deleted and uncounted, however often the file is imported', async () => {
  const message = (n: number, more: Line = {}): Line => ({
    ...{ type: 'message', _id: `m${n}`, room: 'tidy', sender: 'ida', messageType: 'text', message: `message ${n}` },
    ...{ createdAt: Date.now() - 60_000, ...more },
  })
  const lines = [
    { type: 'deletion', room: 'tidy', user: 'jon', upToSeq: 2 },
    { type: 'deletion', room: 'tidy', user: 'jon', message: 'm4' },
    ...['ida', 'jon'].map(user),
    { type: 'room', _id: 'tidy', roomType: 'group' },
    member('tidy', 'ida'),
    { ...member('tidy', 'jon'), lastReadSeq: 0 },
    ...[1, 2, 3, 4].map((n) => message(n)),
  ]
  const seen = async () => {
    const jon = await gateway.newUser('jon')
    const { body } = await jon.call('GET', '/rooms/tidy/messages/v3')
    const { data, userDeletedIDs } = body.result
    const texts = data.flatMap(({ _id, message: text }: Line) => (userDeletedIDs.includes(_id) ? [] : [text]))
    return [texts, (await jon.call('GET', '/me/badge')).body.result.badge]
  }
  await importLines(lines)
  assert.deepEqual(await seen(), [['message 3'], 1])
  await importLines([
    ...lines,
    message(5),
    { type: 'deletion', room: 'tidy', user: 'jon', message: 'm5' },
    message(6),
    { type: 'deletion', room: 'tidy', user: 'jon', message: 'm3' },
  ])
  assert.deepEqual(await seen(), [['message 6'], 1])
})

test('threads have the read positions of their lines, however often the file is imported', async () => {
  const message = (_id: string, sender: string, more: Line = {}): Line => ({
    ...{ type: 'message', _id, room: 'talk', sender, messageType: 'text', message: _id, createdAt: 1_700_000_000_000 },
    ...more,
  })
  const inThread = ['one', 'two', 'three', 'four'].map((id) => message(id, 'vic', { threadOf: 'root' }))
  const lines = [
    { type: 'thread', room: 'talk', threadOf: 'root', user: 'wes', lastReadSeq: 1, notifications: { level: 'none' } },
    { type: 'deletion', room: 'talk', user: 'wes', message: 'two' },
    ...['vic', 'wes'].map(user),
    { type: 'room', _id: 'talk', roomType: 'group' },
    ...['vic', 'wes'].map((name) => member('talk', name)),
    message('root', 'wes'),
  ]
  const [vic, wes] = [await gateway.newUser('vic'), await gateway.newUser('wes')]
  const unread = async (by: typeof vic) =>
    (await by.call('GET', '/threads')).body.result.data.map((one: Line) => one['unread'])
  for (const [count, left] of [
    [3, 1],
    [3, 1],
    [4, 2],
  ] as const) {
    await importLines([...lines, ...inThread.slice(0, count)])
    assert.deepEqual([await unread(vic), await unread(wes)], [[0], [left]])
  }
  const [{ _id: root }] = (await wes.call('GET', '/rooms/talk/messages/v3')).body.result.data
  const { body } = await wes.call('GET', `/me/notifications/threads/${root}`)
  assert.deepEqual(body.result, { level: 'none' })
})

test('scheduled messages are sent once, however often the file is imported', async () => {
  const scheduled = (_id: string, sendAt: number): Line => ({
    ...{ type: 'scheduled', _id, room: 'plans', sender: 'xia', message: _id, messageType: 'text', sendAt },
  })
  const lines = [
    user('xia'),
    { type: 'room', _id: 'plans', roomType: 'group' },
    member('plans', 'xia'),
    scheduled('late', Date.now() - 60_000),
    scheduled('too late', Date.now() - 25 * 3_600_000),
    scheduled('to come', Date.now() + 3_600_000),
    { ...user('erased'), erased: true },
    { ...scheduled('of an erased user', Date.now() + 3_600_000), sender: 'erased' },
  ]
  const xia = await gateway.newUser('xia')
  const texts = async (path: string) =>
    (await xia.call('GET', path)).body.result.data.map((one: Line) => one['message'])
  for (let n = 0; n < 2; n++) {
    await importLines(lines)
    while ((await sendDue(gateway.chat)) > 0) continue
    await eventually('it is sent', async () => (await texts('/scheduled')).length === 1)
    assert.deepEqual(await texts('/rooms/plans/messages/v3'), ['late'])
    assert.deepEqual(await texts('/scheduled'), ['to come'])
  }
  assert.equal(await gateway.chat.db.scheduled.countDocuments({ sender: 'erased' }), 0)
})
