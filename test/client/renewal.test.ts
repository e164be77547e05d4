import assert from 'node:assert/strict'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../platform.ts'
import { clientOf, type Deployment, deploy, online, texts } from './client-of.ts'

const secret = 'a secret of the company, 32 bytes or more'

describe('a token of the app’s own login', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await deploy()
    const tokenIssuers = [{ issuer: 'company', audience: 'chat', secret, createUsers: true }]
    await deployment.platform.admin('POST', '/config', { tokenIssuers })
  })
  afterAll(() => deployment.stop())

  const signed = (jti: string, seconds: number) =>
    new SignJWT({ jti })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('company')
      .setAudience('chat')
      .setSubject('alice')
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds)
      .sign(new TextEncoder().encode(secret))

  test('is renewed before it expires, without reconnecting', async () => {
    const { platform } = deployment
    const asked: unknown[] = []
    // Return the short-lived token twice, then another one.
    const first = await signed('first', 8)
    const fetchToken = async (about: unknown) => {
      asked.push(about)
      return asked.length === 1 ? first : signed('second', 600)
    }
    const client = clientOf(deployment, { token: '' }, { token: fetchToken })
    const other = clientOf(deployment, { token: first })
    await Promise.all([client, other].map(online))
    const room = await platform.newRoom(['alice'])
    await client.room(room).open()
    const states: string[] = []
    client.connection.subscribe(({ status }) => states.push(status))
    const known = async () => (await other.api.listMyTokens({})).data.map(({ jti }) => jti)
    await eventually('the second one is in use', async () => asked.length > 1 && (await known()).includes('second'))
    assert.deepEqual(asked, [{ refused: false }, { refused: false }])
    // Ending the first token closes the connections that still use it. The other client shows that this has happened.
    await platform.admin('DELETE', '/admin/clients/alice/token', { jti: 'first' })
    await eventually('it is closed', () => other.connection.get().status === 'stopped')
    await platform.admin('POST', '/messages', { room, sender: 'alice', message: 'still here', messageType: 'text' })
    await eventually('the message arrives', () => texts(client, room).includes('still here'))
    assert.deepEqual(states, ['online'])
  })
})
