import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

test('an erased user is in no record of pushes any more, and the others are', async () => {
  const { app } = gateway
  const { db } = gateway.chat
  const names = ['alice', 'alice2', 'bob'] as const
  for (const name of names) await gateway.newUser(name)
  const at = new Date()
  const content = key(app, 'message')
  await db.pushes.insertMany(
    names.map((user) => ({
      ...{ _id: key(content, user, 'phone'), app, network: 'fcm' as const, content, user, token: `token of ${user}` },
      ...{ tries: 0, giveUpAtMS: 0, at },
    })),
  )
  const result = (user: string) => ({ user, device: 'phone', network: 'fcm', as: 'sent', atMS: 1 }) as const
  await db.pushResults.insertOne({ _id: key(content, 'x'), at, results: names.map(result) })
  await db.pushDecisions.insertMany([
    { _id: key(content, '0'), at, users: { MUTED: [...names], SENDER: ['bob'] }, called: [...names] },
    { _id: key(content, '1'), at, devices: { DUE: names.map((user) => key(user, 'phone')) } },
    { _id: key(content, '2'), at, all: 'DELETED' },
  ])
  const { status } = await gateway.admin('DELETE', '/admin/clients/alice')
  assert.equal(status, 200)
  const others = ['alice2', 'bob']
  const pushes = await db.pushes.find({ content }).toArray()
  assert.deepEqual(pushes.map(({ user }) => user).toSorted(), others)
  const [results] = await db.pushResults.find().toArray()
  expect(results?.results).toEqual(others.map(result))
  const decisions = await db.pushDecisions.find().sort({ _id: 1 }).toArray()
  expect(decisions).toMatchObject([
    { users: { MUTED: others, SENDER: ['bob'] }, called: others },
    { devices: { DUE: others.map((user) => key(user, 'phone')) } },
    { all: 'DELETED' },
  ])
})
