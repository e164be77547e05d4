import assert from 'node:assert/strict'
import { userLane } from '@parley/chat/events/lanes'
import { insertNotes, type NotedEvent } from '@parley/db/events/pending-events'
import { inTransaction } from '@parley/db/transactions/transaction'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('the event of a change', () => {
  let gateway: TestGateway
  let alice: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
  })
  afterAll(() => gateway.stop())

  test('is published after what waits in its lane: what a dead process left undoes nothing newer', async () => {
    const { chat, app } = gateway
    const to = { app, user: alice.id }
    const older: NotedEvent = {
      ...{ kind: 'event', id: 'older', to, event: 'myPrefChange' },
      json: JSON.stringify({ key: 'theme', data: 'older' }),
    }
    await inTransaction(chat.db, (session) => insertNotes(chat.db, [{ lane: userLane(to), events: [older] }], session))
    const heard = await gateway.hear()
    const { status } = await alice.call('POST', '/me/pref/theme', { data: 'newer' })
    assert.equal(status, 200)
    await heard.next('myPrefChange', ({ data }: { data: string }) => data === 'newer')
    const published = heard.events.filter(({ event }) => event === 'myPrefChange')
    assert.deepEqual(
      published.map(({ payload }) => (payload as { data: string }).data),
      ['older', 'newer'],
    )
    await chat.outbox.drained()
    assert.equal(await chat.db.pendingEvents.countDocuments({}), 0)
  })
})
