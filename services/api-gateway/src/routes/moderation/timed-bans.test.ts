import assert from 'node:assert/strict'
import { sendMessage } from '@parley/chat/send/send-message'
import { ApiError } from '@parley/contracts/errors'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

let gateway: TestGateway
let other: TestGateway
let owner: TestUser
let bob: TestUser
let room: string
beforeAll(async () => {
  gateway = await startTestGateway()
  other = await gateway.another()
  owner = await gateway.newUser('owner')
  bob = await gateway.newUser('bob')
})
afterAll(async () => {
  await other.stop()
  await gateway.stop()
})
beforeEach(async () => {
  room = await gateway.newRoom([owner, bob], { owner: 'owner' })
})

const hourMS = 3_600_000
const soon = () => Date.now() + hourMS
/** Sends as bob through a gateway; the error code, or OK. */
async function sendVia(via: TestGateway): Promise<string> {
  try {
    await sendMessage(via.chat, { app: via.app, room, sender: 'bob', message: 'x', messageType: 'text', push: false })
    return 'OK'
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    return error.code
  }
}
const sendEverywhere = async () => [await sendVia(gateway), await sendVia(other)]
/** After a few sends, a gateway caches the room and the sender. */
async function getKnown(): Promise<void> {
  for (let i = 0; i < 4; i++) assert.deepEqual(await sendEverywhere(), ['OK', 'OK'])
}
function refused({ status, body }: Answer, expected: number, code: string): void {
  assert.deepEqual([status, body.error?.code ?? body.error], [expected, code], JSON.stringify(body))
}

describe('a ban with untilMS', () => {
  const ban = (untilMS: unknown) => owner.call('POST', `/blockStatus/room/${room}/bob`, { untilMS })
  const list = async () => (await owner.call('GET', `/blockStatus/room/${room}`)).body.result
  /** As if the time had come: the ban and the mark of the membership say when they end, and nothing else changes. */
  async function letItEnd(): Promise<void> {
    const { db } = gateway.chat
    const _id = key(gateway.app, room, 'bob')
    const untilMS = Date.now()
    assert.equal((await db.bans.updateOne({ _id, untilMS: { $exists: true } }, { $set: { untilMS } })).modifiedCount, 1)
    await db.memberships.updateOne({ _id, blockedUntilMS: { $exists: true } }, { $set: { blockedUntilMS: untilMS } })
  }

  test('applies until that time; then it leaves the list, and can be made again', async () => {
    await getKnown()
    const untilMS = soon()
    assert.equal((await ban(untilMS)).body.result.untilMS, untilMS)
    assert.deepEqual(await sendEverywhere(), ['USER_BLOCKED', 'USER_BLOCKED'])
    assert.equal((await list())[0].untilMS, untilMS)
    refused(await ban(soon()), 409, 'USER_ALREADY_BLOCKED')
    await letItEnd()
    assert.deepEqual(await sendEverywhere(), ['OK', 'OK'])
    assert.deepEqual(await list(), [])
    assert.equal((await bob.call('POST', `/rooms/${room}/typing`, { message: 'x' })).status, 200)
    refused(await owner.call('DELETE', `/blockStatus/room/${room}/bob`), 404, 'BLOCK_NOT_FOUND')
    await getKnown()
    const made = await owner.call('POST', `/blockStatus/room/${room}/bob`)
    assert.deepEqual([made.status, made.body.result.untilMS], [200, undefined])
    assert.deepEqual(await sendEverywhere(), ['USER_BLOCKED', 'USER_BLOCKED'])
    assert.equal((await owner.call('DELETE', `/blockStatus/room/${room}/bob`)).status, 200)
    assert.deepEqual(await sendEverywhere(), ['OK', 'OK'])
  })

  test('applies to a returning member, and allows making them the owner once it ends', async () => {
    await ban(soon())
    await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: ['bob'] })
    refused(await bob.call('POST', `/rooms/${room}/join`), 403, 'ROOM_CLOSED')
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['bob'] })
    assert.deepEqual(await sendEverywhere(), ['USER_BLOCKED', 'USER_BLOCKED'])
    refused(await owner.call('PUT', `/rooms/${room}`, { owner: 'bob' }), 400, 'INVALID_REQUEST')
    await letItEnd()
    assert.deepEqual(await sendEverywhere(), ['OK', 'OK'])
    assert.equal((await owner.call('PUT', `/rooms/${room}`, { owner: 'bob' })).status, 200)
  })

  test("stops a robot's streamed messages until it ends", async () => {
    await gateway.admin('POST', '/admin/clients', { _id: 'bob', isRobot: true })
    const { _id } = (await bob.call('POST', '/messages/stream', { room })).body.result
    const append = () => bob.call('POST', `/messages/${_id}/stream`, { text: 'x' })
    await ban(soon())
    refused(await append(), 403, 'USER_BLOCKED')
    await letItEnd()
    assert.equal((await append()).status, 200)
    assert.equal((await bob.call('POST', `/messages/${_id}/stream/end`, {})).body.result.message, 'x')
  })

  test('an end in the past is 400 naming untilMS; MongoDB removes ended bans', async () => {
    for (const untilMS of [Date.now() - 1, 0, -1, 1.5, 9e15, 'x']) {
      const { status, body } = await ban(untilMS)
      assert.deepEqual([status, /untilMS/.test(body.error.message)], [400, true], JSON.stringify(body))
    }
    const untilMS = soon()
    await ban(untilMS)
    const found = await gateway.chat.db.bans.findOne({ _id: key(gateway.app, room, 'bob') })
    assert.equal(found?.expiresAt?.getTime(), untilMS)
  })
})

describe('a ban from the app', () => {
  const path = '/admin/clients/eve/ban'
  let eve: TestUser
  beforeEach(async () => {
    eve = await gateway.newUser('eve')
    room = await gateway.newRoom([owner, bob, eve], { owner: 'eve' })
  })
  const issue = () => gateway.admin('POST', '/admin/clients', { _id: 'eve', issueAccessToken: true })
  async function sendAsEve(via: TestGateway): Promise<Answer> {
    return via.admin('POST', '/messages', { room, sender: 'eve', message: 'x', messageType: 'text' })
  }

  test('revokes tokens and refuses new ones and sends at every gateway until it is lifted; memberships stay', async () => {
    for (let i = 0; i < 4; i++) for (const via of [gateway, other]) assert.equal((await sendAsEve(via)).status, 200)
    const { status, body } = await gateway.admin('POST', path)
    assert.deepEqual([status, typeof body.result.ban.atMS, body.result.ban.untilMS], [200, 'number', undefined])
    refused(await eve.call('GET', '/me'), 401, 'INVALID_TOKEN')
    for (const via of [gateway, other]) refused(await sendAsEve(via), 403, 'USER_BANNED')
    refused(await issue(), 403, 'USER_BANNED')
    const bind = { token: 'a token of eve', expirationDate: new Date(soon()).toISOString() }
    refused(await gateway.admin('PUT', '/admin/clients/eve/token', bind), 403, 'USER_BANNED')
    assert.deepEqual(await sendEverywhere(), ['OK', 'OK'])
    const shown = (await bob.call('GET', `/rooms/${room}`)).body.result
    assert.deepEqual([shown.owner, shown.memberCount], ['eve', 3])
    assert.equal((await gateway.admin('POST', '/admin/clients', { _id: 'eve', nickname: 'Eve' })).status, 200)

    const lifted = await gateway.admin('DELETE', path)
    assert.deepEqual([lifted.status, lifted.body.result.ban], [200, undefined])
    assert.equal((await sendAsEve(other)).status, 200)
    assert.equal((await issue()).status, 200)
    refused(await gateway.admin('DELETE', path), 404, 'BLOCK_NOT_FOUND')
    refused(await gateway.admin('POST', '/admin/clients/nobody/ban'), 404, 'CLIENT_NOT_FOUND')
    refused(await eve.call('POST', path), 401, 'INVALID_API_KEY')
  })

  test("applies to edits and a robot's streams, even with the API key; recalls are allowed", async () => {
    await gateway.admin('POST', '/admin/clients', { _id: 'eve', isRobot: true })
    const sent = (await sendAsEve(gateway)).body.result._id
    const { _id } = (await gateway.admin('POST', '/messages/stream', { room, sender: 'eve' })).body.result
    await gateway.admin('POST', path)
    const change = (body: object) =>
      gateway.admin('POST', `/rooms/${room}/message`, { _id: sent, sender: 'eve', ...body })
    const later = { room, sender: 'eve', message: 'y', messageType: 'text', sendAtMS: soon() }
    for (const answer of [
      await gateway.admin('POST', '/messages', later),
      await change({ message: 'y' }),
      await gateway.admin('POST', `/messages/${_id}/stream`, { text: 'y' }),
      await gateway.admin('POST', `/messages/${_id}/stream/end`, { message: 'y' }),
      await gateway.admin('POST', '/messages/stream', { room, sender: 'eve' }),
      await gateway.admin('POST', `/rooms/${room}/aiStreaming`, { sender: 'eve', text: 'y' }),
    ]) {
      refused(answer, 403, 'USER_BANNED')
    }
    assert.equal((await change({ messageType: 'recall' })).status, 200)
    await gateway.admin('DELETE', path)
    assert.equal((await gateway.admin('POST', `/messages/${_id}/stream/end`, { message: 'y' })).status, 200)
  })

  test('ends at untilMS, which can be changed; the badge check ignores it', async () => {
    assert.equal((await gateway.admin('POST', path, { untilMS: Date.now() - 1 })).status, 400)
    await gateway.admin('POST', path, { untilMS: soon() })
    const untilMS = soon() + 1
    assert.equal((await gateway.admin('POST', path, { untilMS })).body.result.ban.untilMS, untilMS)
    refused(await sendAsEve(other), 403, 'USER_BANNED')
    const badge = await gateway.admin('GET', '/admin/clients/eve/badge?verify=true')
    assert.equal(badge.status, 200)
    const { db } = gateway.chat
    await db.users.updateOne({ _id: key(gateway.app, 'eve') }, { $set: { 'ban.untilMS': Date.now() } })
    await db.memberships.updateOne({ _id: key(gateway.app, '', 'eve') }, { $set: { blockedUntilMS: Date.now() } })
    assert.equal((await sendAsEve(other)).status, 200)
    assert.equal((await issue()).body.result.ban, undefined)
  })

  test('ends when the user is deleted, and the ID can be reused', async () => {
    await gateway.admin('POST', path)
    await gateway.admin('DELETE', '/admin/clients/eve')
    eve = await gateway.newUser('eve')
    room = await gateway.newRoom([owner, eve])
    assert.equal((await sendAsEve(gateway)).status, 200)
  })
})
