import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectClient, type Platform, type RunningService, startPlatformWithNodes } from '../platform.ts'

const secret = 'a secret of the company, 32 bytes or more'
const nowS = () => Math.floor(Date.now() / 1_000)
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Resolves with the client's reason for a disconnect. */
const closing = (socket: Socket) => new Promise<string>((resolve) => socket.once('disconnect', resolve))

/** Signs a JWT by RFC 7515 without a library. */
function sign(claims: object): string {
  const signed = `${base64url({ alg: 'HS256' })}.${base64url(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

describe('sockets with tokens of the app’s own login', () => {
  let platform: Platform
  let nodes: [RunningService, RunningService]
  beforeAll(async () => {
    const started = await startPlatformWithNodes()
    platform = started.platform
    nodes = started.nodes
    await setIssuers('company', 'partner')
  })
  afterAll(() => platform.stop())

  const setIssuers = (...issuers: string[]) => {
    const tokenIssuers = issuers.map((issuer) => ({ issuer, audience: 'chat', secret, createUsers: true }))
    return platform.admin('POST', '/config', { tokenIssuers })
  }
  const tokenOf = (sub: string, more: object = {}) =>
    sign({ ...{ sub, iss: 'company', aud: 'chat', iat: nowS(), exp: nowS() + 600, jti: randomUUID() }, ...more })
  const connect = (node: RunningService, token: string) =>
    connectClient(node.url, token, { clientKey: platform.clientKey })

  test('ending all tokens of a user closes them on every node, and they do not reconnect', async () => {
    const tokens = [tokenOf('alice'), tokenOf('alice')] as const
    const sockets = await Promise.all(nodes.map((node, i) => connect(node, tokens[i] ?? '')))
    const closed = Promise.all(sockets.map(closing))
    const ended = await fetch(`${(await platform.start('api-gateway')).url}/admin/clients/alice/token`, {
      method: 'DELETE',
      headers: { 'im-api-key': platform.apiKey },
    })
    assert.equal(((await ended.json()) as { revokedTokens: number }).revokedTokens, 2)
    assert.deepEqual(await closed, ['io server disconnect', 'io server disconnect'])
    await assert.rejects(connect(nodes[0], tokens[0]), /INVALID_TOKEN/)
  })

  test.concurrent('an expired token closes its socket so that the client reconnects, unless auth2 has sent a newer token', async () => {
    // With the allowed clock skew of 30 s, it expires in about 6 s.
    const ending = () => tokenOf('bob', { exp: nowS() - 24 })
    const [left, renewed] = await Promise.all(nodes.map((node) => connect(node, ending())))
    assert.ok(left && renewed)
    const leaves = closing(left)
    const { RC, result } = await renewed.emitWithAck('auth2', tokenOf('bob'), { clientKey: platform.clientKey })
    assert.equal(RC, 0)
    assert.ok(new Date(result.expirationDate).getTime() > Date.now() + 500_000)
    assert.equal(await leaves, 'transport close')
    assert.ok(renewed.connected)
    assert.equal((await renewed.emitWithAck('presence subscribe', { clients: ['alice'] })).RC, 0)
    renewed.disconnect()
  })

  test.concurrent('removing an issuer closes its sockets, and they do not reconnect', async () => {
    // It expires in about 10 s, and is looked up 2 s before: at expiry, the reason would be `transport close`.
    const socket = await connect(nodes[0], tokenOf('carol', { iss: 'partner', exp: nowS() - 20 }))
    const closed = closing(socket)
    await setIssuers('company')
    assert.equal(await closed, 'io server disconnect')
  })
})
