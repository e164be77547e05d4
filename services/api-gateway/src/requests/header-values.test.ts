import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { announceDevices } from '@parley/presence/announce-devices'
import { closePresence, connectPresence } from '@parley/presence/connect'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

describe('header values are tried as sent, then percent-decoded', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  /** Node writes header values as Latin-1, so this sends UTF-8 bytes. */
  const raw = (text: string) => Buffer.from(text).toString('latin1')
  const in10Days = () => new Date(Date.now() + 10 * 86_400_000).toISOString()

  async function bound(user: string, token: string) {
    const { status } = await gateway.admin('POST', '/admin/clients', {
      _id: user,
      issueAccessToken: false,
      token,
      expirationDate: in10Days(),
    })
    assert.equal(status, 200)
  }

  const rooms = async (token: string, clientID: string) => {
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': token, 'im-client-id': clientID }
    const { status, body } = await gateway.anonymous('GET', '/rooms', undefined, headers)
    return status === 200 ? 200 : body.error.code
  }

  for (const token of ['s%3Aabc.DEF', '100%', '%', '%E0%A4%A', 'grün 鍵 🔑', 'a%20b c']) {
    test(`the token ${token} is accepted raw and percent-encoded`, async () => {
      const user = randomUUID()
      await bound(user, token)
      assert.equal(await rooms(raw(token), user), 200)
      assert.equal(await rooms(encodeURIComponent(token), user), 200)
    })
  }

  test('two tokens, one the encoded form of the other, each find their own user', async () => {
    await bound('of the plain', 'x:y')
    await bound('of the encoded', 'x%3Ay')
    assert.equal(await rooms('x:y', 'of the plain'), 200)
    assert.equal(await rooms('x%3Ay', 'of the encoded'), 200)
    assert.equal(await rooms('x%3Ay', 'of the plain'), 'INVALID_TOKEN')
  })

  for (const user of ['literal %41', '50% off', 'Žofie 🦊', 'a/b?c=d&e']) {
    test(`IM-CLIENT-ID names ${user} raw and percent-encoded`, async () => {
      const { token } = await gateway.newUser(user)
      assert.equal(await rooms(token, raw(user)), 200)
      assert.equal(await rooms(token, encodeURIComponent(user)), 200)
      assert.equal(await rooms(token, `${raw(user)}x`), 'INVALID_TOKEN')
    })
  }

  test('an IM-CLIENT-ID other than the user of the token is 401 INVALID_TOKEN wherever it is sent', async () => {
    const user = await gateway.newUser()
    for (const path of ['/rooms', '/me/badge', '/me']) {
      const { status, body } = await user.call('GET', path, undefined, { 'im-client-id': 'another' })
      assert.deepEqual([status, body.error.code], [401, 'INVALID_TOKEN'], path)
    }
  })

  test('a token that is wrong raw and decoded is 401', async () => {
    assert.equal(await rooms('no%41', 'x'), 'INVALID_TOKEN')
    assert.equal(await rooms('', 'x'), 'INVALID_TOKEN')
  })

  test('IM-DEVICE-ID names the connected device with that exact ID, else the one with the decoded ID', async () => {
    const { redisUrl } = await testServers()
    const presence = await connectPresence(redisUrl, (error) => assert.fail(error))
    const online = await announceDevices(presence, randomUUID(), (error) => assert.fail(error))
    const heard = await gateway.hear()
    const user = await gateway.newUser()
    const exceptedBy = async (header: string) => {
      const before = heard.events.length
      await user.call('POST', '/me/pref/x', { data: before }, { 'im-device-id': header })
      const { incoming } = await heard.next('myPrefChange', ({ data }: { data: number }) => data === before)
      return incoming.exceptDevice
    }
    online.changed(gateway.app, user.id, new Set(['téléphone de Zoë', 'x%41', 'xA']))
    await online.drained()
    assert.equal(await exceptedBy(encodeURIComponent('téléphone de Zoë')), 'téléphone de Zoë')
    assert.equal(await exceptedBy(raw('téléphone de Zoë')), 'téléphone de Zoë')
    assert.equal(await exceptedBy('x%41'), 'x%41')
    assert.equal(await exceptedBy('xA'), 'xA')
    await online.stop()
    await closePresence(presence)
  })
})
