import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

/** Every field of a response named like a time, at any depth. */
function timesIn(value: unknown): [name: string, value: unknown][] {
  if (typeof value !== 'object' || value === null) return []
  const fields = Object.entries(value)
  const times = fields.filter(([name]) => /(?:MS|At|Time|Date)$/.test(name))
  return times.concat(fields.flatMap(([, inner]) => timesIn(inner)))
}

describe('times in every response', () => {
  let gateway: TestGateway
  let alice: TestUser
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    await gateway.newUser('bob')
    room = await gateway.newRoom([alice, { ...alice, id: 'bob' }], { owner: 'alice' })
  })
  afterAll(() => gateway.stop())

  test('are integer milliseconds in fields ending in MS, ISO-8601 strings in others', async () => {
    proves('Conventions', 'fields ending in MS are integer milliseconds', 'other time fields are ISO-8601 strings')
    const body = { room, sender: 'alice', message: 'x', messageType: 'text' }
    const answers = [
      await gateway.admin('POST', '/messages', body),
      await alice.call('GET', `/rooms/${room}/messages/v3`),
      await alice.call('GET', '/rooms'),
      await alice.call('POST', `/blockStatus/room/${room}/bob`),
      await gateway.admin('GET', '/admin/clients'),
      await gateway.admin('POST', '/admin/clients', { _id: 'alice', issueAccessToken: true }),
      await gateway.admin('GET', '/admin/stats'),
    ]
    const times = answers.flatMap((answer) => timesIn(answer.body.result))
    for (const [name, value] of times) {
      if (name.endsWith('MS')) assert.ok(Number.isInteger(value), `${name}: ${String(value)}`)
      else assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, name)
    }
    const wanted = ['messageTimeMS', 'updatedAtMS', 'createdAtMS', 'createdTimeMS', 'lastLoginTimeMS', 'messageTime']
    const others = ['createdAt', 'updatedAt', 'expirationDate', 'startTime', 'endTime']
    const met = new Set(times.map(([name]) => name))
    for (const name of [...wanted, ...others]) assert.ok(met.has(name), `${name} was in no answer`)
  })
})
