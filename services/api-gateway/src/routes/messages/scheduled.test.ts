import assert from 'node:assert/strict'
import { sendDue } from '@parley/chat/messages/send-scheduled'
import type { Draft } from '@parley/chat/send/new-message'
import { sendContent } from '@parley/chat/send/send-message'
import { insertFile } from '@parley/db/files/files'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { claimDue } from '@parley/db/messages/scheduled'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { type MongoProxy, openMongoProxy } from '../../test-mongo-proxy.ts'
import { refused } from '../../test-refused.ts'

let proxy: MongoProxy
let gateway: TestGateway
let owner: TestUser
let bob: TestUser
let room: string
beforeAll(async () => {
  const servers = await testServers()
  proxy = await openMongoProxy(Number(new URL(servers.mongoUrl).port))
  const mongoUrl = `mongodb://127.0.0.1:${proxy.port}/test?directConnection=true`
  gateway = await startTestGateway({ servers: { ...servers, mongoUrl } })
  owner = await gateway.newUser('owner')
  bob = await gateway.newUser('bob')
})
afterAll(async () => {
  await gateway.stop()
  await proxy.stop()
})
beforeEach(async () => {
  await gateway.chat.db.scheduled.deleteMany({})
  room = await gateway.newRoom([owner, bob], { owner: 'owner' })
})

const hourMS = 3_600_000
const schedule = (more: object = {}, by = bob) =>
  by.call('POST', '/scheduled', { room, message: 'later', messageType: 'text', sendAtMS: Date.now() + hourMS, ...more })
const list = async (by = bob) => (await by.call('GET', '/scheduled')).body.result.data
const history = async () =>
  (await owner.call('GET', `/rooms/${room}/messages/v3`)).body.result.data.map(
    ({ message }: { message: string }) => message,
  )
/** As if all of them were due. */
const beDue = () =>
  gateway.chat.db.scheduled.updateMany({ nextMS: { $exists: true } }, { $set: { nextMS: Date.now() } })
async function sendAll(): Promise<void> {
  await beDue()
  await sendDue(gateway.chat)
}
/** The prefix of an ID made at that time (MongoDB manual, "ObjectId"). */
const timeHex = (ms: number) => Math.floor(ms / 1_000).toString(16)

describe('POST /scheduled', () => {
  test('is sent when due, not before; then no list has it', async () => {
    const { id } = (await schedule({ replyTo: undefined })).body.result
    await sendDue(gateway.chat)
    assert.deepEqual([await history(), (await list())[0].id], [[], id])
    await sendAll()
    assert.deepEqual([await history(), await list()], [['later'], []])
  })

  test('gets an ID of its send time, so that it is found after a stream loss', async () => {
    const { db } = gateway.chat
    await schedule()
    const made = await db.scheduled.findOne()
    assert.ok(made)
    await db.scheduled.deleteOne({ _id: made._id })
    const id = timeHex(Date.now() - hourMS) + made.id.slice(8)
    await db.scheduled.insertOne({ ...made, _id: key(gateway.app, id), id })
    await sendAll()
    const [sent] = (await owner.call('GET', `/rooms/${room}/messages/v3`)).body.result.data
    assert.deepEqual([sent.message, sent._id > timeHex(Date.now() - hourMS / 2)], ['later', true])
    assert.notEqual(sent._id, id)
  })

  test('is sent once although a process dies before it records the send; only one process claims it', async () => {
    await schedule()
    await beDue()
    const [taken] = await claimDue(gateway.chat.db, 'who dies', 10)
    assert.ok(taken)
    assert.equal(await sendDue(gateway.chat), 0, 'it is taken')
    refused(await bob.call('DELETE', `/scheduled/${taken.id}`), 404, 'SCHEDULED_NOT_FOUND')
    const { id, content, ...send } = taken
    await sendContent(gateway.chat, { ...send, idempotencyKey: `scheduled ${id} ${taken.createdAtMS}` }, content)
    await sendAll()
    assert.deepEqual([await history(), await list()], [['later'], []])
  })

  test('cannot be changed while a failed send may have been written; it is sent once', async () => {
    const { id } = (await schedule()).body.result
    await beDue()
    const { chat } = gateway
    const appendMessage = async (draft: Draft) => {
      await chat.appendMessage(draft)
      throw new Error('the connection broke')
    }
    await sendDue({ ...chat, appendMessage })
    refused(await bob.call('DELETE', `/scheduled/${id}`), 404, 'SCHEDULED_NOT_FOUND')
    refused(await bob.call('PUT', `/scheduled/${id}`, { message: 'other' }), 404, 'SCHEDULED_NOT_FOUND')
    await sendAll()
    assert.deepEqual([await history(), await list()], [['later'], []])
  })

  test('refuses invalid times, strangers, unknown rooms and users; a repeated clientMessageID returns the first', async () => {
    for (const sendAtMS of [Date.now(), Date.now() + 400 * 86_400_000, -1, 'x']) {
      const { status, body } = await schedule({ sendAtMS })
      assert.deepEqual([status, /sendAtMS/.test(body.error.message)], [400, true])
    }
    refused(await schedule({}, await gateway.newUser()), 403, 'NOT_ROOM_MEMBER')
    refused(await schedule({ room: 'none' }), 404, 'ROOM_NOT_FOUND')
    refused(await schedule({ sender: 'owner' }), 400, 'INVALID_REQUEST')
    refused(await schedule({ message: 'x'.repeat(70_000) }), 413, 'MESSAGE_TOO_LARGE')
    const body = { room, message: 'x', messageType: 'text', sendAtMS: Date.now() + hourMS }
    refused(await gateway.admin('POST', '/scheduled', body), 400, 'MISSING_PARAMETER')
    refused(await gateway.admin('POST', '/scheduled', { ...body, sender: 'nobody' }), 404, 'CLIENT_NOT_FOUND')
    const twice = [await schedule({ clientMessageID: 'once' }), await schedule({ clientMessageID: 'once' })]
    assert.equal(twice[0]?.body.result.id, twice[1]?.body.result.id)
    await gateway.chat.db.scheduled.insertMany(
      Array.from({ length: 999 }, (_, i) => ({
        ...{ _id: key(gateway.app, `${i}`), app: gateway.app, id: `${i}`, room, sender: 'bob', content: '1' },
        ...{ senderKey: key(gateway.app, 'bob'), messageType: 'text', push: false, sendAtMS: 1, createdAtMS: 1 },
      })),
    )
    refused(await schedule(), 409, 'TOO_MANY_SCHEDULED')
    const later = [
      await schedule({ clientMessageID: 'once' }),
      await schedule({ clientMessageID: 'once', sendAtMS: 1 }),
    ]
    for (const { body: repeated } of later) assert.equal(repeated.result.id, twice[0]?.body.result.id)
  })

  test('belongs to its user once they change it, even if the API key created it: slow mode applies', async () => {
    await gateway.admin('PUT', `/rooms/${room}`, { slowModeS: 3_600 })
    assert.equal(
      (await bob.call('POST', `/rooms/${room}/message`, { message: 'first', messageType: 'text' })).status,
      200,
    )
    const body = { room, sender: 'bob', message: 'by the key', messageType: 'text', sendAtMS: Date.now() + hourMS }
    await gateway.admin('POST', '/scheduled', body)
    const { id } = (await gateway.admin('POST', '/scheduled', body)).body.result
    assert.equal((await bob.call('PUT', `/scheduled/${id}`, { message: 'by bob' })).status, 200)
    await sendAll()
    assert.deepEqual((await history()).toSorted(), ['by the key', 'first'])
    assert.deepEqual(
      (await list()).map(({ message }: { message: string }) => message),
      ['by bob'],
    )
  })

  test('reports a refusal when it is due, and can be sent again', async () => {
    const { id } = (await schedule()).body.result
    await gateway.admin('POST', `/blockStatus/room/${room}/bob`)
    await sendAll()
    assert.equal((await list())[0].refused.code, 'USER_BLOCKED')
    await sendAll()
    await gateway.admin('DELETE', `/blockStatus/room/${room}/bob`)
    assert.deepEqual(await history(), [])
    assert.equal((await bob.call('PUT', `/scheduled/${id}`, { message: 'again' })).status, 400)
    const changed = await bob.call('PUT', `/scheduled/${id}`, { message: 'again', sendAtMS: Date.now() + hourMS })
    assert.deepEqual([changed.body.result.refused, changed.body.result.message], [undefined, 'again'])
    await sendAll()
    assert.deepEqual([await history(), await list()], [['again'], []])
    for (const [code, change] of [
      ['ROOM_FROZEN', { status: 0 }],
      ['SLOW_MODE', { status: 1, slowModeS: 3_600 }],
    ] as const) {
      await schedule()
      await gateway.admin('PUT', `/rooms/${room}`, change)
      await sendAll()
      const [found] = await list()
      // Slow mode only delays.
      assert.equal(found.refused?.code, code === 'SLOW_MODE' ? undefined : code)
      assert.equal((await bob.call('DELETE', `/scheduled/${found.id}`)).status, 200)
    }
  })
})

describe('sendAtMS of POST /messages and POST /rooms/{id}/message', () => {
  test('behaves as POST /scheduled: 202 with the scheduled message, by the same rules, once if repeated', async () => {
    const root = (
      await gateway.admin('POST', '/messages', { room, sender: 'owner', message: 'x', messageType: 'text' })
    ).body.result
    const body = { message: 'later', messageType: 'text', sendAtMS: Date.now() + hourMS }
    const headers = { 'idempotency-key': 'once' }
    const inThread = { ...body, replyTo: root._id, thread: true, expiresInS: 60 }
    const client = await bob.call('POST', `/rooms/${room}/message`, inThread, headers)
    assert.equal(client.status, 202)
    assert.deepEqual((await list())[0], client.body.result)
    const again = await bob.call('POST', `/rooms/${room}/message`, inThread, headers)
    assert.equal(again.body.result.id, client.body.result.id)
    const asAdmin = { room, sender: 'bob', ...body, message: 'by the integrator' }
    const admin = await gateway.admin('POST', '/messages', asAdmin)
    assert.deepEqual([admin.status, admin.body.result.sender, (await list()).length], [202, 'bob', 2])
    assert.deepEqual(await history(), ['x'])
    await sendAll()
    assert.deepEqual((await history()).toSorted(), ['by the integrator', 'x'])
    const thread = (await bob.call('GET', `/messages/${root._id}/thread`)).body.result.data
    assert.deepEqual([thread.length, thread[0].message, thread[0].expiresAtMS > Date.now()], [1, 'later', true])

    for (const sendAtMS of [Date.now(), Date.now() + 400 * 86_400_000, -1, 'x']) {
      for (const path of ['/messages', `/rooms/${room}/message`]) {
        const given = { ...body, sender: 'bob', sendAtMS, ...(path === '/messages' && { room }) }
        const { status, body: error } = await gateway.admin('POST', path, given)
        assert.deepEqual([status, error.error.message.startsWith('sendAtMS')], [400, true])
      }
    }
    const edit = await bob.call('POST', `/rooms/${room}/message`, { _id: root._id, ...body })
    assert.deepEqual([edit.status, edit.body.error.message.startsWith('sendAtMS')], [400, true])
    const alone = await bob.call('POST', `/rooms/${room}/message`, { ...body, thread: true })
    refused(alone, 400, 'MISSING_PARAMETER')
    refused(await gateway.admin('POST', '/messages', { ...asAdmin, sender: 'nobody' }), 404, 'CLIENT_NOT_FOUND')
    const stranger = await gateway.newUser()
    refused(await stranger.call('POST', `/rooms/${room}/message`, body), 403, 'NOT_ROOM_MEMBER')
  })
})

describe('GET, PUT and DELETE /scheduled', () => {
  test("list pages, next first: the caller's own, or all with the API key; users change and cancel their own", async () => {
    const times = [3, 1, 2].map((hours) => Date.now() + hours * hourMS)
    const made = []
    for (const sendAtMS of times) made.push((await schedule({ sendAtMS })).body.result.id)
    await schedule({ sendAtMS: Date.now() + 9 * hourMS }, owner)
    const first = (await bob.call('GET', '/scheduled?limit=2')).body.result
    const rest = (await bob.call('GET', `/scheduled?limit=2&cursor=${encodeURIComponent(first.cursor)}`)).body.result
    const ids = [...first.data, ...rest.data].map(({ id }: { id: string }) => id)
    assert.deepEqual([ids, rest.cursor], [[made[1], made[2], made[0]], undefined])
    assert.equal((await gateway.admin('GET', '/scheduled')).body.result.data.length, 4)
    assert.equal((await gateway.admin('GET', '/scheduled?sender=owner')).body.result.data.length, 1)
    refused(await bob.call('GET', '/scheduled?sender=owner'), 400, 'INVALID_QUERY')
    refused(await bob.call('GET', '/scheduled?cursor=x'), 400, 'INVALID_QUERY')
    refused(await owner.call('PUT', `/scheduled/${made[0]}`, { message: 'x' }), 404, 'SCHEDULED_NOT_FOUND')
    refused(await owner.call('DELETE', `/scheduled/${made[0]}`), 404, 'SCHEDULED_NOT_FOUND')
    assert.equal((await bob.call('PUT', `/scheduled/${made[0]}`, { message: 'other' })).body.result.message, 'other')
    assert.equal((await bob.call('DELETE', `/scheduled/${made[1]}`)).status, 200)
    assert.equal((await gateway.admin('DELETE', `/scheduled/${made[2]}`)).status, 200)
    await sendAll()
    assert.deepEqual((await history()).toSorted(), ['later', 'other'])
  })

  const change = (id: string, body: object, by = bob) => by.call('PUT', `/scheduled/${id}`, body)
  /** Runs `act` between the read and the write of the next change. */
  const beforeTheWrite = (act: () => Promise<void>) => proxy.meet(['findAndModify', 'scheduled'], act)

  test('a change of the text keeps a time that another change set meanwhile', async () => {
    const { id } = (await schedule()).body.result
    const sendAtMS = Date.now() + 2 * hourMS
    beforeTheWrite(async () => assert.equal((await change(id, { sendAtMS })).status, 200))
    const { status, body } = await change(id, { message: 'other' })
    assert.deepEqual([status, body.result.message, body.result.sendAtMS], [200, 'other', sendAtMS])
  })

  test('a change of a message refused or sent meanwhile needs a future time, or is 404', async () => {
    const { id } = (await schedule()).body.result
    beforeTheWrite(async () => {
      await gateway.admin('PUT', `/rooms/${room}`, { status: 0 })
      await sendAll()
      await gateway.admin('PUT', `/rooms/${room}`, { status: 1 })
    })
    refused(await change(id, { message: 'other' }), 400, 'INVALID_REQUEST')
    assert.equal((await list())[0].refused.code, 'ROOM_FROZEN')
    await change(id, { sendAtMS: Date.now() + hourMS })
    beforeTheWrite(sendAll)
    refused(await change(id, { message: 'other' }), 404, 'SCHEDULED_NOT_FOUND')
    assert.deepEqual([await history(), await list()], [['later'], []])
  })

  test("files that the API key adds meanwhile do not become the user's", async () => {
    const { db } = gateway.chat
    const fileID = newId()
    await insertFile(db, {
      ...{ _id: key(gateway.app, fileID), app: gateway.app, id: fileID, name: 'a.txt', type: 'text/plain', size: 1 },
      ...{ secret: 'x', stored: 'x', createdAtMS: Date.now(), checkAtMS: Date.now() + hourMS },
    })
    const body = { room, sender: 'bob', message: 'later', messageType: 'text', sendAtMS: Date.now() + hourMS }
    const { id } = (await gateway.admin('POST', '/scheduled', body)).body.result
    beforeTheWrite(async () => {
      const changed = await gateway.admin('PUT', `/scheduled/${id}`, { attachments: [{ fileID }] })
      assert.equal(changed.status, 200, JSON.stringify(changed.body))
    })
    refused(await change(id, { message: 'other' }), 404, 'FILE_NOT_FOUND')
    assert.equal((await change(id, { message: 'other', attachments: [] })).status, 200)
  })

  test('erasing their user erases them', async () => {
    const eve = await gateway.newUser()
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [eve.id] })
    await schedule({}, eve)
    await gateway.admin('DELETE', `/admin/clients/${eve.id}`)
    assert.equal(await gateway.chat.db.scheduled.countDocuments({ sender: eve.id }), 0)
  })
})
