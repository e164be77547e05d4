import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

/** `'👍'[0]`: JSON carries it, MongoDB does not. */
const half = '\ud83d'

describe('a lone surrogate in a compared value is 400 INVALID_REQUEST, before anything is written', () => {
  let gateway: TestGateway
  let alice: TestUser
  let room: string
  let message: string
  const text = { message: 'x', messageType: 'text' }
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    room = await gateway.newRoom([alice], { owner: 'alice' })
    message = (await alice.call('POST', `/rooms/${room}/message`, text)).body.result._id
  })
  afterAll(() => gateway.stop())

  const later = () => ({ ...text, room, sendAtMS: Date.now() + 3_600_000 })
  const requests: [string, 'POST' | 'PUT', () => string, () => object][] = [
    ['clientMessageID', 'POST', () => `/rooms/${room}/message`, () => ({ ...text, clientMessageID: `a${half}` })],
    ['clientMessageID', 'POST', () => '/scheduled', () => ({ ...later(), clientMessageID: half })],
    ['messageType', 'POST', () => `/rooms/${room}/message`, () => ({ ...text, messageType: half })],
    ['reaction', 'POST', () => `/messages/${message}/reaction`, () => ({ reaction: half })],
    ['tags.0', 'POST', () => `/roomPrefs/${room}`, () => ({ tags: [half] })],
    ['folder', 'POST', () => `/roomPrefs/${room}`, () => ({ folder: `work ${half}` })],
    ['roomTags.0', 'PUT', () => `/rooms/${room}`, () => ({ roomTags: [half] })],
    ['deviceId', 'POST', () => '/me/subscribe', () => ({ type: 'fcm', token: 'a token', deviceId: half })],
    ['token', 'POST', () => '/me/subscribe', () => ({ type: 'fcm', token: half, deviceId: 'phone' })],
  ]
  for (const [field, method, path, body] of requests) {
    test(`${field} of ${method} ${path().replace(/undefined/, '{id}')}`, async () => {
      const { db } = gateway.chat
      const before = await db.rooms.findOne({ id: room })
      refused(await alice.call(method, path(), body()), 400, 'INVALID_REQUEST', new RegExp(`^${field}: .*surrogate`))
      assert.equal((await db.rooms.findOne({ id: room }))?.seq, before?.seq)
      const other = JSON.stringify(body()).replaceAll(/\\ud83d/g, '👍')
      const { status } = await alice.call(method, path(), JSON.parse(other))
      assert.equal(status, 200, 'the whole character is taken')
    })
  }

  test('_id of POST /admin/clients', async () => {
    const answer = await gateway.admin('POST', '/admin/clients', { _id: half, issueAccessToken: true })
    refused(answer, 400, 'INVALID_REQUEST', /^_id: .*surrogate/)
  })
})
