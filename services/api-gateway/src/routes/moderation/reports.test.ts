import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { findSentMessage } from '@parley/db/messages/messages'
import { addReport } from '@parley/db/moderation/reports'
import { eventually } from '@parley/stack/eventually'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

let gateway: TestGateway
let alice: TestUser
let bob: TestUser
let carol: TestUser

beforeAll(async () => {
  gateway = await startTestGateway()
  alice = await gateway.newUser('alice')
  bob = await gateway.newUser('bob')
  carol = await gateway.newUser('carol')
})
afterAll(() => gateway.stop())

const newRoom = () => gateway.newRoom([alice, bob, carol], { owner: 'alice' })
const send = async (room: string, by = 'bob', message: unknown = 'Buy now!'): Promise<string> =>
  (await gateway.admin('POST', '/messages', { room, sender: by, message, messageType: 'text' })).body.result._id
const report = (by: TestUser, id: string, reason = 'spam') => by.call('POST', `/messages/${id}/report`, { reason })
const list = async (query: string) => (await gateway.admin('GET', `/admin/reports?${query}`)).body.result
const decide = (id: string, decision: string) => gateway.admin('POST', `/admin/reports/${id}/decide`, { decision })
const only = async (room: string) => {
  const { data } = await list(`room=${encodeURIComponent(room)}`)
  assert.equal(data.length, 1)
  return data[0]
}
describe('POST /messages/{id}/report', () => {
  test('reports of a message are merged, with a count and reasons; a repeat by the same user changes nothing', async () => {
    const room = await newRoom()
    const id = await send(room)
    await Promise.all([report(alice, id, 'spam'), report(alice, id, 'again'), report(carol, id, 'a scam')])
    assert.equal((await report(alice, id, 'again')).status, 200)
    const found = await only(room)
    const { messageID, sender, count, status, message } = found
    assert.deepEqual([messageID, sender, count, status, message], [id, 'bob', 2, 'open', 'Buy now!'])
    assert.deepEqual(found.reasons.map(({ client }: { client: string }) => client).toSorted(), ['alice', 'carol'])
  })

  test('concurrent first reports of a message are all counted, over two gateways', async () => {
    const second = await gateway.another()
    const users = await Promise.all(Array.from({ length: 16 }, () => gateway.newUser()))
    const room = await gateway.newRoom([bob, ...users])
    const ids = await Promise.all(Array.from({ length: 4 }, () => send(room)))
    const headers = ({ id, token }: TestUser) => ({
      ...{ 'im-client-key': gateway.clientKey, 'im-authorization': token, 'im-client-id': id },
    })
    for (const id of ids) {
      const all = users.map((user, i) =>
        i % 2 ? report(user, id) : second.anonymous('POST', `/messages/${id}/report`, { reason: 'x' }, headers(user)),
      )
      for (const { status, body } of await Promise.all(all)) assert.equal(status, 200, JSON.stringify(body))
    }
    await second.stop()
    const { data } = await list(`room=${room}`)
    assert.deepEqual(
      data.map(({ count }: { count: number }) => count),
      ids.map(() => users.length),
    )
  })

  test('at most 200 reporters are kept; further reports extend it, and reopen it after a decision', async () => {
    const { reports } = gateway.chat.db
    const room = await newRoom()
    const id = await send(room)
    await report(alice, id)
    const { id: reported } = await only(room)
    const others = Array.from({ length: 199 }, (_, i) => ({ client: `u${i}`, userKey: `u${i}`, reason: 'x', atMS: i }))
    const soon = new Date(Date.now() + 3_600_000)
    const more = { $push: { reporters: { $each: others } }, $set: { count: 200, expiresAt: soon } }
    await reports.updateMany({ id: reported }, more)
    assert.equal((await report(carol, id)).status, 200)
    const open = await reports.findOne({ id: reported })
    assert.deepEqual([open?.count, open?.reporters.length, open?.reporters.at(-1)?.client], [200, 200, 'u198'])
    assert.ok(open && open.expiresAt > soon)
    await decide(reported, 'dismiss')
    await report(carol, id, 'again')
    const { status, count, decision, message, reasons } = await only(room)
    assert.deepEqual([status, count, decision, message], ['open', 200, undefined, 'Buy now!'])
    assert.deepEqual([reasons.length, reasons[0].client, reasons[0].reason], [20, 'carol', 'again'])
    assert.equal((await reports.findOne({ id: reported }))?.reporters.length, 200)
  })

  test('never copies the text of an erased user, not even for a moment', async () => {
    const { reports } = gateway.chat.db
    const dave = await gateway.newUser('dave')
    const room = await gateway.newRoom([alice, bob, dave])
    const id = await send(room, 'dave', 'of dave')
    assert.equal((await gateway.admin('DELETE', '/admin/clients/dave')).status, 200)
    const changes = reports.watch([{ $match: { operationType: 'insert' } }])
    const change = changes.next()
    await eventually('changes are seen', async () => changes.resumeToken !== undefined)
    assert.equal((await report(alice, id)).status, 200)
    const { fullDocument } = (await change) as { fullDocument?: Record<string, unknown> }
    assert.partialDeepStrictEqual(fullDocument, { message: id, sender: 'dave' })
    assert.equal(fullDocument?.['content'], undefined)
    await changes.close()
  })

  test('an erasure removes the text of a report made during it by a gateway that died', async () => {
    const { app, chat } = gateway
    const { db } = chat
    const erin = await gateway.newUser('erin')
    const room = await gateway.newRoom([alice, bob, erin])
    const [first, second] = [await send(room, 'erin', 'first'), await send(room, 'erin', 'second')]
    await report(alice, first)
    const roomKey = key(app, room)
    const message = await findSentMessage(db, roomKey, second)
    assert.ok(message)
    const textOf = async (of: string) => (await db.reports.findOne({ message: of }))?.content
    const session = db.client.startSession()
    session.startTransaction()
    // The erasure waits for the room.
    await db.rooms.updateOne({ _id: roomKey }, { $set: { name: 'held' } }, { session })
    const erased = gateway.admin('DELETE', '/admin/clients/erin')
    await eventually('its first step is done', async () => (await textOf(first)) === undefined)
    await addReport(db, message, { id: 'by a dead gateway', user: 'alice', reason: 'spam' })
    assert.notEqual(await textOf(second), undefined)
    await session.abortTransaction()
    await session.endSession()
    assert.equal((await erased).status, 200)
    assert.equal(await textOf(second), undefined)
  })

  test('needs access to the message: strangers, banned users and reports of deleted messages are refused', async () => {
    const room = await newRoom()
    const [id, gone, hidden] = [await send(room), await send(room), await send(room)]
    refused(await report(await gateway.newUser(), id), 403, 'NOT_ROOM_MEMBER')
    refused(await report(alice, 'f'.repeat(24)), 404, 'MESSAGE_NOT_FOUND')
    await gateway.admin('DELETE', `/rooms/${room}/messages/${gone}`)
    refused(await report(alice, gone), 404, 'MESSAGE_NOT_FOUND')
    await alice.call('POST', '/messages/user-delete', { room, messages: [hidden] })
    refused(await report(alice, hidden), 404, 'MESSAGE_NOT_FOUND')
    await gateway.admin('POST', `/blockStatus/room/${room}/carol`)
    refused(await report(carol, id), 403, 'USER_BLOCKED')
    const { status, body } = await report(alice, id, '')
    assert.deepEqual([status, /reason/.test(body.error.message)], [400, true])
    const missing = await alice.call('POST', `/messages/${id}/report`, {})
    refused(missing, 400, 'MISSING_PARAMETER')
    await gateway.admin('DELETE', `/rooms/${room}`)
    refused(await report(alice, id), 404, 'ROOM_NOT_FOUND')
    assert.deepEqual((await list(`room=${encodeURIComponent(room)}`)).data, [])
  })

  test("a user blocked in a direct room can report the other's messages; in a frozen room too", async () => {
    const room = await gateway.newRoom([alice, bob], { roomType: 'direct' })
    const id = await send(room)
    await bob.call('POST', '/blockStatus/my/alice')
    await gateway.admin('PUT', `/rooms/${room}`, { status: 0 })
    assert.equal((await report(alice, id)).status, 200)
    await bob.call('DELETE', '/blockStatus/my/alice')
    refused(await decide((await only(room)).id, 'ban'), 403, 'INSUFFICIENT_PERMISSIONS')
    assert.equal((await only(room)).status, 'open')
  })
})

describe('GET /admin/reports', () => {
  test("lists pages, the newest first, by room and status, only of the caller's app", async () => {
    const room = await newRoom()
    const ids = [await send(room), await send(room), await send(room)]
    for (const id of ids) await report(alice, id)
    const of = `room=${encodeURIComponent(room)}`
    const first = await list(`${of}&limit=2`)
    const second = await list(`${of}&limit=2&cursor=${encodeURIComponent(first.cursor)}`)
    const pages = [...first.data, ...second.data].map(({ messageID }: { messageID: string }) => messageID)
    assert.deepEqual([pages, second.cursor], [ids.toReversed(), undefined])
    await decide(first.data[0].id, 'dismiss')
    assert.deepEqual(
      (await list(`${of}&status=open`)).data.map(({ messageID }: { messageID: string }) => messageID),
      [ids[1], ids[0]],
    )
    assert.equal((await list(`${of}&status=decided`)).data.length, 1)
    const all = (await list('reporter=alice&limit=100')).data
    assert.ok(
      all.length >= 3 &&
        all.every(({ reasons }: { reasons: { client: string }[] }) => reasons.some(({ client }) => client === 'alice')),
    )
    const { sender } = all[0]
    assert.ok((await list(`sender=${sender}`)).data.every((one: { sender: string }) => one.sender === sender))
    assert.deepEqual((await list('sender=nobody')).data, [])
    refused(await gateway.admin('GET', `/admin/reports?sender=a&${of}`), 400, 'INVALID_QUERY')
    refused(await gateway.admin('GET', '/admin/reports?cursor=x'), 400, 'INVALID_QUERY')
    refused(await gateway.admin('GET', '/admin/reports?status=x'), 400, 'INVALID_QUERY')
    refused(await alice.call('GET', '/admin/reports'), 401, 'INVALID_API_KEY')
  })
})

describe('POST /admin/reports/{id}/decide', () => {
  test('delete deletes for all; the text stays until then, even if the message is deleted meanwhile', async () => {
    const room = await newRoom()
    const [id, recalled] = [await send(room), await send(room, 'bob', { text: 'no' })]
    await report(alice, recalled)
    await bob.call('POST', `/rooms/${room}/message`, { _id: recalled, messageType: 'recall' })
    const kept = await only(room)
    assert.deepEqual(kept.message, { text: 'no' })
    await gateway.admin('DELETE', `/rooms/${room}/messages/${recalled}`)
    const decided = (await decide(kept.id, 'delete')).body.result
    assert.deepEqual([decided.status, decided.decision, decided.message], ['decided', 'delete', undefined])

    await report(alice, id)
    const { data } = await list(`room=${encodeURIComponent(room)}&status=open`)
    const heard = await gateway.hear()
    assert.equal((await decide(data[0].id, 'delete')).status, 200)
    await heard.next('messageDeleted', ({ messageID }: { messageID: string }) => messageID === id)
    const { body } = await alice.call('GET', `/rooms/${room}/messages/v3`)
    assert.ok(body.result.data.every(({ isDeleted }: { isDeleted: boolean }) => isDeleted))
  })

  test('ban bans in the room; repeating the decision changes nothing, and a later report reopens it', async () => {
    const room = await newRoom()
    const id = await send(room)
    await report(alice, id)
    const { id: reported } = await only(room)
    assert.equal((await decide(reported, 'ban')).status, 200)
    assert.equal((await decide(reported, 'ban')).body.result.decision, 'ban')
    refused(await decide(reported, 'dismiss'), 409, 'REPORT_DECIDED')
    refused(await decide('f'.repeat(24), 'dismiss'), 404, 'REPORT_NOT_FOUND')
    assert.equal((await decide(reported, 'pardon')).status, 400)
    const ending = { decision: 'dismiss', untilMS: Date.now() + 60_000 }
    const { status, body: answer } = await gateway.admin('POST', `/admin/reports/${reported}/decide`, ending)
    assert.deepEqual([status, answer.error.message], [400, 'untilMS: not with dismiss'])
    const { body } = await alice.call('GET', `/blockStatus/room/${room}`)
    assert.equal(body.result[0].blockee._id, 'bob')
    await report(carol, id)
    const again = await only(room)
    assert.deepEqual([again.status, again.count, again.message, again.decision], ['open', 2, 'Buy now!', undefined])
  })

  test('of two concurrent decisions one is carried out; a failed one can be replaced later', async () => {
    const room = await newRoom()
    await report(alice, await send(room))
    const { id: reported } = await only(room)
    const [ban, dismiss] = await Promise.all([decide(reported, 'ban'), decide(reported, 'dismiss')])
    assert.deepEqual(new Set([ban.status, dismiss.status]), new Set([200, 409]))
    const { body } = await alice.call('GET', `/blockStatus/room/${room}`)
    assert.equal(body.result.length, ban.status === 200 ? 1 : 0)

    const direct = await gateway.newRoom([alice, carol], { roomType: 'direct' })
    await report(alice, await send(direct, 'carol'))
    const { id: ofCarol } = await only(direct)
    refused(await decide(ofCarol, 'ban'), 403, 'INSUFFICIENT_PERMISSIONS')
    assert.equal((await gateway.chat.db.reports.findOne({ id: ofCarol }))?.deciding, undefined)
    const killed = { decision: 'ban', untilMS: Date.now() + 60_000 } as const
    await gateway.chat.db.reports.updateMany({ id: ofCarol }, { $set: { deciding: killed } })
    refused(await decide(ofCarol, 'dismiss'), 409, 'REPORT_DECIDED')
    await gateway.chat.db.reports.updateMany({ id: ofCarol }, { $set: { 'deciding.untilMS': Date.now() } })
    assert.equal((await decide(ofCarol, 'dismiss')).body.result.decision, 'dismiss')
  })

  test('ban replaces a ban that ends earlier, and keeps one that ends later', async () => {
    const room = await newRoom()
    const ends: unknown[] = []
    const inAnHour = Date.now() + 3_600_000
    const messages = [await send(room, 'carol'), await send(room, 'carol'), await send(room, 'carol')]
    for (const [i, untilMS] of [inAnHour, undefined, inAnHour].entries()) {
      await report(alice, messages[i] ?? '')
      const [{ id }] = (await list(`room=${encodeURIComponent(room)}&status=open`)).data
      const { status } = await gateway.admin('POST', `/admin/reports/${id}/decide`, { decision: 'ban', untilMS })
      assert.equal(status, 200)
      ends.push((await alice.call('GET', `/blockStatus/room/${room}`)).body.result[0].untilMS)
    }
    assert.deepEqual(ends, [inAnHour, undefined, undefined])
  })

  test('erase erases the user and their texts in reports', async () => {
    const eve = await gateway.newUser()
    const room = await gateway.newRoom([alice, eve, bob])
    const [first, second, ofBob] = [await send(room, eve.id), await send(room, eve.id), await send(room)]
    for (const id of [first, second]) await report(alice, id)
    await report(eve, ofBob, 'my secret')
    const of = `room=${encodeURIComponent(room)}`
    const { data } = await list(of)
    assert.equal((await decide(data[2].id, 'erase')).body.result.decision, 'erase')
    refused(await gateway.admin('DELETE', `/admin/clients/${eve.id}`), 404, 'CLIENT_NOT_FOUND')
    const left = (await list(of)).data
    assert.deepEqual(
      left.map(({ messageID, message, reasons }: Record<string, unknown>) => [
        messageID,
        message,
        (reasons as []).length,
      ]),
      [
        [ofBob, 'Buy now!', 0],
        [second, undefined, 1],
        [first, undefined, 1],
      ],
    )
    await report(bob, second)
    assert.equal((await list(`${of}&status=open`)).data[1].message, undefined)
  })
})
