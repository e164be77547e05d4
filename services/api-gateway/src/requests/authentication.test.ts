import assert from 'node:assert/strict'
import { createApiKeyAuthentication } from '@parley/chat/access/authenticate-api-key'
import { proves } from '@parley/conformance/proves'
import { adminEndpoints, clientEndpoints } from '@parley/conformance/rows/access'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

let gateway: TestGateway
let alice: TestUser

beforeAll(async () => {
  gateway = await startTestGateway()
  alice = await gateway.newUser('alice')
})
afterAll(() => gateway.stop())

type Endpoint = (typeof adminEndpoints | typeof clientEndpoints)[number]
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Valid bodies, so that only the key or token can be refused. */
const bodies: Partial<Record<Endpoint, object>> = {
  'POST /messages': { room: 'none', sender: 'alice', message: 'x', messageType: 'text' },
  'POST /rooms/': { roomType: 'group', members: ['alice'] },
  'POST /admin/clients': { _id: 'alice', nickname: 'Alice' },
  'POST /config': { announcement: 'x' },
  'POST /push/push2clients': { clients: ['alice'], payload: {} },
  'PUT /rooms/{id}/lastRead': { message: 'none' },
  'POST /badges/byRoomTags': {},
  'POST /me/subscribe': { type: 'ios', token: 't', deviceId: 'd' },
}

function ask(endpoint: Endpoint, headers: Record<string, string>): Promise<Answer> {
  const [method = '', path = ''] = endpoint.split(' ')
  return gateway.anonymous(method as Method, path.replaceAll(/\{\w+\}/g, 'none'), bodies[endpoint], headers)
}

/** Endpoints whose row on invalid keys no other test proves. */
const provenHere = new Set<Endpoint>([
  ...(['POST /messages', 'GET /admin/clients', 'GET /admin/groups'] as const),
  ...(['POST /config', 'DELETE /config/{key}', 'POST /push/push2clients'] as const),
])

/** The error code, from the envelope or the bare form. */
function refusal({ status, body }: Answer): [status: number, code: string] {
  return [status, typeof body.error === 'string' ? body.error : body.error?.code]
}

describe('endpoints for API keys', () => {
  for (const endpoint of adminEndpoints) {
    test(`${endpoint} without a key or with an invalid one is 401`, async () => {
      proves('API keys', `${endpoint} without a key: 401`, `${endpoint} with an invalid key: 401`)
      if (provenHere.has(endpoint)) proves(endpoint, '401 INVALID_API_KEY')
      const code = endpoint === 'DELETE /admin/clients/{client_id}/token' ? 'UNAUTHORIZED' : 'INVALID_API_KEY'
      assert.deepEqual(refusal(await ask(endpoint, {})), [401, code])
      assert.deepEqual(refusal(await ask(endpoint, { 'im-api-key': 'invalid' })), [401, code])
      assert.notEqual((await ask(endpoint, { 'im-api-key': gateway.apiKey })).status, 401)
    })
  }
})

describe('endpoints for users', () => {
  const all = () => ({
    'im-client-key': gateway.clientKey,
    'im-authorization': alice.token,
    'im-client-id': alice.id,
  })

  for (const endpoint of clientEndpoints) {
    test(`${endpoint} without a client key or a token, or with an invalid one, is 401`, async () => {
      proves(
        'Client keys and user tokens',
        `${endpoint} without IM-CLIENT-KEY: 401`,
        `${endpoint} without IM-Authorization: 401`,
        `${endpoint} with an invalid token: 401 INVALID_TOKEN`,
      )
      if (endpoint.startsWith('DELETE /blockStatus')) proves(endpoint, '401 INVALID_TOKEN')
      const { 'im-client-key': _key, ...noKey } = all()
      const { 'im-authorization': _token, ...noToken } = all()
      assert.deepEqual(refusal(await ask(endpoint, noKey)), [401, 'INVALID_CLIENT_KEY'])
      assert.deepEqual(refusal(await ask(endpoint, noToken)), [401, 'INVALID_TOKEN'])
      const invalid = { ...all(), 'im-authorization': 'invalid' }
      assert.deepEqual(refusal(await ask(endpoint, invalid)), [401, 'INVALID_TOKEN'])
      assert.notEqual((await ask(endpoint, all())).status, 401)
    })
  }

  test('a token is 401 INVALID_TOKEN from its expirationDate on', async () => {
    proves('Client keys and user tokens', 'an expired token: 401 INVALID_TOKEN')
    const expirationDate = new Date(Date.now() + 2_000).toISOString()
    await gateway.admin('POST', '/admin/clients', { _id: 'bob', token: 'short-lived', expirationDate })
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': 'short-lived' }
    const badge = () => gateway.anonymous('GET', '/me/badge', undefined, headers)
    assert.equal((await badge()).status, 200)
    await vi.waitUntil(async () => (await badge()).status !== 200, { timeout: 100_000 })
    assert.deepEqual(refusal(await badge()), [401, 'INVALID_TOKEN'])
    assert.ok(Date.now() >= Date.parse(expirationDate))
  })
})

test('concurrent calls with an uncached key look it up once', async () => {
  const { mongo } = gateway.chat.db
  const authentication = createApiKeyAuthentication(gateway.chat)
  await mongo.command({ profile: 2 })
  try {
    const callers = await Promise.all(Array.from({ length: 20 }, () => authentication.find(gateway.apiKey)))
    assert.deepEqual(new Set(callers.map(({ app }) => app)), new Set([gateway.app]))
    assert.equal(await mongo.collection('system.profile').countDocuments({ 'command.find': 'apps' }), 1)
  } finally {
    await mongo.command({ profile: 0 })
  }
})
