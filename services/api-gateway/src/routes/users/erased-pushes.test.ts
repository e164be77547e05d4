import assert from 'node:assert/strict'
import { waitedCallData } from '@parley/chat/integrations/call-data'
import { takeNextJob } from '@parley/chat/jobs/run-jobs'
import { createJobs } from '@parley/chat/jobs/work-on-job'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

test('erasing a user removes them from all push records, and keeps the others', async () => {
  const { app } = gateway
  const { db } = gateway.chat
  const names = ['alice', 'alice2', 'bob'] as const
  for (const name of names) await gateway.newUser(name)
  const at = new Date()
  const content = key(app, 'message')
  await db.pushes.insertMany(
    names.map((user) => ({
      ...{ _id: key(content, user, 'phone'), app, network: 'fcm' as const, content, user, token: `token of ${user}` },
      ...{ tries: 0, giveUpAtMS: 0, at },
    })),
  )
  const result = (user: string) => ({ user, device: 'phone', network: 'fcm', as: 'sent', atMS: 1 }) as const
  await db.pushResults.insertOne({ _id: key(content, 'x'), at, results: names.map(result) })
  await db.pushDecisions.insertMany([
    { _id: key(content, '0'), at, users: { MUTED: [...names], SENDER: ['bob'] }, called: [...names] },
    { _id: key(content, '1'), at, devices: { DUE: names.map((user) => key(user, 'phone')) } },
    { _id: key(content, '2'), at, all: 'DELETED' },
  ])
  const contentOf = (sender: string) =>
    JSON.stringify({ of: 'message', locKey: 'im_loc_text', locArgs: [`${sender}'s name`, 'room', 'text'], sender })
  const order = JSON.stringify({ of: 'clients', payload: { alert: { 'loc-args': [{ sender: 'alice' }] } } })
  const text = { title: '{sender}', body: '{text}', image: 'https://example.com/avatar.png' }
  // Without a nickname, whose place is empty from the beginning.
  const withAvatar = { of: 'message', locArgs: ['', 'room', 'text'], texts: { '': text, de: text }, sender: 'alice' }
  const contents = [...names.map(contentOf), order, '', JSON.stringify(withAvatar)]
  await db.pushContents.insertMany(contents.map((json, i) => ({ _id: key(app, `message ${i}`), json, at })))
  const { status } = await gateway.admin('DELETE', '/admin/clients/alice')
  assert.equal(status, 200)
  const others = ['alice2', 'bob']
  const pushes = await db.pushes.find({ content }).toArray()
  assert.deepEqual(pushes.map(({ user }) => user).toSorted(), others)
  const [results] = await db.pushResults.find().toArray()
  expect(results?.results).toEqual(others.map(result))
  const decisions = await db.pushDecisions.find().sort({ _id: 1 }).toArray()
  expect(decisions).toMatchObject([
    { users: { MUTED: others, SENDER: ['bob'] }, called: others },
    { devices: { DUE: others.map((user) => key(user, 'phone')) } },
    { all: 'DELETED' },
  ])
  const kept = await db.pushContents.find().sort({ _id: 1 }).toArray()
  const [ofAlice, ...ofOthers] = kept.map(({ json }) => json)
  assert.deepEqual(JSON.parse(ofAlice ?? '').locArgs, ['', 'room', 'text'])
  assert.deepEqual(ofOthers.slice(0, -1), contents.slice(1, -1))
  const { image: _image, ...left } = text
  assert.deepEqual(JSON.parse(ofOthers.at(-1) ?? ''), { ...withAvatar, texts: { '': left, de: left } })
})

test('a queued call names an erased user by the ID alone', async () => {
  const { app } = gateway
  const { db } = gateway.chat
  const users = [await gateway.newUser('mallory'), await gateway.newUser('carol')] as const
  const room = await gateway.newRoom([...users])
  const hi = { message: 'hi', messageType: 'text' }
  const { _id } = (await users[0].call('POST', `/rooms/${room}/message`, hi)).body.result
  const profile = (id: string) => ({ _id: id, id, nickname: `${id}'s name` })
  const data = {
    MESSAGE: { _id, message: 'hi', sender: profile('mallory') },
    MESSAGE_DELETED: { _id, isDeleted: true, sender: profile('mallory') },
    PUSH: { _id, message: 'hi', sender: profile('mallory'), pushToClients: ['carol'] },
    ROOM: { _id: 'room', members: [profile('mallory'), profile('carol')], sender: '' },
  }
  const waited = async (event: keyof typeof data) =>
    waitedCallData(db, { _id: 'call', app, room, event, client: '', data: JSON.stringify(data[event]) })
  const events = Object.keys(data) as (keyof typeof data)[]
  for (const event of events) assert.equal(await waited(event), JSON.stringify(data[event]))
  await gateway.admin('DELETE', '/admin/clients/mallory')
  for (const event of events) {
    const json = await waited(event)
    assert.doesNotMatch(json, /mallory's name/)
    const { sender, members = [], ...rest } = JSON.parse(json)
    assert.equal((members[0] ?? sender)._id, 'mallory')
    if (event === 'ROOM') assert.deepEqual([members[1], rest], [profile('carol'), { _id: 'room' }])
  }
})

test('a queued call has neither the text nor the quotes of a message that retention removed', async () => {
  const { app, chat } = gateway
  const bob = await gateway.newUser()
  const room = await gateway.newRoom([bob])
  const gone = { _id: newId(), room, message: 'secret', replyTo: { _id: newId(), text: 'secret' }, isDeleted: false }
  const left = { _id: gone._id, room, reactions: [], reactionCount: 0, isDeleted: true }
  const call = { _id: 'call', app, room, event: 'MESSAGE', client: bob.id, data: JSON.stringify(gone) }
  assert.partialDeepStrictEqual(JSON.parse(await waitedCallData(chat.db, call)), left)
  assert.doesNotMatch(await waitedCallData(chat.db, call), /secret/)

  const body = { message: 'still here', messageType: 'text' }
  const { _id } = (await bob.call('POST', `/rooms/${room}/message`, body)).body.result
  const quotes = { ...gone, _id, message: 'still here' }
  const sent = JSON.parse(await waitedCallData(chat.db, { ...call, data: JSON.stringify(quotes) }))
  assert.deepEqual([sent.message, sent.replyTo], ['still here', undefined])
})

test('when a gateway stops, another one continues its erasure', async () => {
  const { app, chat } = gateway
  const { db } = chat
  await gateway.newUser('trent')
  const content = key(app, 'to trent')
  const push = { app, network: 'fcm' as const, content, user: 'trent', token: 'token', tries: 0, giveUpAtMS: 0 }
  await db.pushes.insertOne({ ...push, _id: key(content, 'trent', 'phone'), at: new Date() })
  await chat.jobs.stop()
  const { status } = await gateway.admin('DELETE', '/admin/clients/trent')
  assert.equal(status, 202)
  assert.equal(await db.pushes.countDocuments({ content }), 1)

  chat.jobs = createJobs(5_000)
  assert.equal(await takeNextJob(chat), true)
  await vi.waitUntil(() => chat.jobs.count === 0, { timeout: 100_000 })
  assert.equal(await db.pushes.countDocuments({ content }), 0)
})
