import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openReadProxy, type ReadProxy } from '../doubles/read-proxy.ts'
import { call, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

describe('a gateway reading a token from the database', () => {
  let platform: Platform
  let proxy: ReadProxy
  let slow: RunningService
  beforeAll(async () => {
    platform = await startPlatform()
    proxy = await openReadProxy(platform.servers.mongoUrl)
    await platform.start('api-gateway')
    slow = await platform.start('api-gateway', { PARLEY_MONGO_URL: proxy.url })
  })
  afterAll(async () => {
    await platform.stop()
    await proxy.close()
  })

  const opens = async (token: string): Promise<boolean> => {
    const asUser = { 'im-client-key': platform.clientKey, 'im-authorization': token }
    const { status } = await call(slow.url, 'GET', '/me/badge', asUser)
    assert.ok(status === 200 || status === 401, String(status))
    return status === 200
  }
  /** Whether a call needs no read of the token, so that the held read belongs to the next user. */
  async function caches(): Promise<boolean> {
    const known = await platform.newUser()
    await opens(known.token)
    const next = await platform.newUser()
    const held = proxy.holdNextRead('tokens')
    const first = await Promise.race([opens(known.token).then(() => 'cached'), held.answered.then(() => 'read again')])
    const opened = first === 'cached' ? opens(next.token) : undefined
    await held.answered
    held.release()
    await opened
    return first === 'cached'
  }

  test('refuses it once it is revoked, even if the read finds it valid', async () => {
    await eventually('it caches tokens', caches)
    const { id, token } = await platform.newUser()
    const held = proxy.holdNextRead('tokens')
    const overtaken = opens(token)
    await held.answered
    await platform.admin('DELETE', `/admin/clients/${id}/token`, {})
    held.release()
    assert.equal(await overtaken, true)
    assert.equal(await opens(token), false)
  })
})
