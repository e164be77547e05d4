import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proves } from '@parley/conformance/proves'
import { describe, onTestFinished, test } from 'vitest'
import { call, connectClient, startPlatform } from '../platform.ts'
import { findSecrets } from './secrets-in-logs.ts'

describe('secrets', () => {
  test('no key or token is in any log or error at the most verbose level, whatever fails', async () => {
    proves('Statistics report', 'apiKey and clientKey are not logged')
    const logs = await mkdtemp(join(tmpdir(), 'parley-secrets-'))
    const platform = await startPlatform({ logs, toKill: ['mongo', 'nats', 'redis'] })
    onTestFinished(async () => {
      await platform.stop()
      await rm(logs, { recursive: true, force: true })
    })
    const env = { PARLEY_LOG_LEVEL: 'trace' }
    const gateway = await platform.start('api-gateway', env)
    const node = await platform.start('realtime', env)
    await Promise.all([platform.start('push', env), platform.start('stats', env)])
    const admin = { 'im-api-key': platform.apiKey }
    const bound = `pt_${'bound'.repeat(8)}`
    const answers: string[] = []
    const ask = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
      const { status, body: answer } = await call(gateway.url, method, path, headers, body)
      if (status !== 200) answers.push(JSON.stringify(answer))
      return answer.result
    }
    const { token } = (await ask('POST', '/admin/clients', admin, { _id: 'alice', issueAccessToken: true })) as {
      token: string
    }
    const expirationDate = new Date(Date.now() + 3_600_000).toISOString()
    await ask('POST', '/admin/clients', admin, {
      _id: 'bob',
      token: bound,
      expirationDate,
      issueAccessToken: false,
      nickname: 'b',
    })
    await ask('POST', '/admin/clients', admin, { _id: 'bob', token: bound, issueAccessToken: false, nickname: 'b' })
    await ask('POST', '/admin/clients', admin, { _id: 'carl', token: bound, expirationDate })
    await ask('DELETE', '/admin/clients/alice/token', admin, { token: bound })
    await ask('GET', '/admin/stats', admin)
    await ask('GET', '/admin/stats', { 'im-api-key': platform.basicKey })
    await ask('GET', `/admin/clients?q=${bound}`, admin)
    await ask('GET', `/nowhere/${randomUUID()}`, { ...admin, 'im-authorization': token })
    for (const headers of [
      { 'im-authorization': token },
      { 'im-client-key': platform.clientKey, 'im-authorization': `${token}x` },
    ]) {
      await ask('GET', '/me', headers)
    }
    const socket = await connectClient(node.url, token)
    await socket.emitWithAck('auth2', `${bound}y`, { clientKey: platform.clientKey })
    socket.close()
    // Make dependencies unavailable, for driver errors with details.
    await platform.servers.nats.kill()
    await platform.servers.redis.kill()
    const client = { 'im-client-key': platform.clientKey, 'im-authorization': token }
    await ask('POST', '/me/token', client)
    await ask('GET', '/admin/connection-count', admin)
    await platform.servers.mongo.kill()
    await ask('GET', '/me', client)

    const { lines, found } = findSecrets(logs)
    assert.ok(lines > 20, `${lines} lines`)
    assert.deepEqual(found, [])
    assert.ok(answers.length >= 8, `${answers.length} errors`)
    for (const secret of [token, bound, platform.apiKey, platform.basicKey, platform.clientKey]) {
      assert.match(secret, /^(?:pt|ak|bk|ck)_.{24,}/, 'what the search looks for')
      for (const answer of answers) assert.ok(!answer.includes(secret), answer)
    }
  })
})
