import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

test('revoking an expired token is 404, and the token is not counted', async () => {
  const expired = async () => {
    const { token } = await gateway.newUser('alice')
    await gateway.chat.db.tokens.updateMany({ user: 'alice' }, { $set: { expiresAt: new Date(1) } })
    return token
  }
  const revoke = (body: object) => gateway.admin('DELETE', '/admin/clients/alice/token', body)
  const { status, body } = await revoke({ token: await expired() })
  assert.deepEqual([status, body.error], [404, 'TOKEN_NOT_FOUND'])
  await expired()
  assert.deepEqual((await revoke({})).body.revokedTokens, 0)
})
