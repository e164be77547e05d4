import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { relay } from '@parley/chat/events/relay'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import type { FlushPoint } from '@parley/chat/send/flush-queue'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { eventually } from '@parley/stack/eventually'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { DyingSender } from '../../test-dying-sender.ts'
import { type Heard, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

interface Acknowledged {
  _id: string
  sender: string
  clientMessageID: string
}

const points = [
  'written',
  'published',
  'taken',
  'inserted',
  'counted',
  'stored',
  'pulled',
] as const satisfies FlushPoint[]

interface StoredMessage {
  _id: string
  seq: number
  sender: { _id: string }
}

describe('the sending process is killed (-9)', () => {
  const stopped = new AbortController()
  let relays: Promise<void>[]
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let heard: Heard

  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
    heard = await gateway.hear()
    // Two, as two gateways would.
    relays = [1, 2].map(() => runWorkers(gateway.chat, [relay(gateway.chat)], stopped.signal))
  })
  afterAll(async () => {
    stopped.abort()
    await Promise.all(relays)
    await gateway.stop()
  })

  async function sendUntilKilled(room: string, point: FlushPoint): Promise<Acknowledged[]> {
    const { mongoUrl, natsUrl } = await testServers()
    const database = gateway.chat.db.mongo.databaseName
    const work: DyingSender = {
      mongoUrl: withDatabase(mongoUrl, database),
      natsUrl,
      app: gateway.app,
      room,
      point,
      times: 5,
    }
    const child = fork(join(import.meta.dirname, '../../test-dying-sender.ts'), [JSON.stringify(work)])
    const acknowledged: Acknowledged[] = []
    child.on('message', (message: Acknowledged) => acknowledged.push(message))
    const [, signal] = await once(child, 'exit')
    assert.equal(signal, 'SIGKILL')
    return acknowledged
  }

  /** Page by page: the number of messages sent before the kill depends on the machine. */
  async function wholeHistory(room: string): Promise<StoredMessage[]> {
    const all: StoredMessage[] = []
    for (let after = 'afterTime=0'; ; after = `afterMessage=${all.at(-1)?._id}`) {
      const path = `/rooms/${room}/messages/v3?limit=500&timeRangeField=createdAt&${after}`
      const page = (await bob.call('GET', path)).body.result.data as StoredMessage[]
      all.push(...page)
      if (page.length < 500) return all
    }
  }

  /**
   * The room's history, and unread counts that agree with it. MongoDB can apply the killed process's last writes after its
   * death, so reads that such a write separates are repeated.
   */
  async function counted(room: string): Promise<StoredMessage[]> {
    const unread = async (user: TestUser) => (await user.call('GET', `/rooms/${room}`)).body.result.unread
    for (;;) {
      const all = await wholeHistory(room)
      const unreadOf = [await unread(alice), await unread(bob)]
      if ((await wholeHistory(room)).length > all.length) continue
      const notBy = (user: TestUser) => all.filter(({ sender }) => sender._id !== user.id).length
      assert.deepEqual(unreadOf, [notBy(alice), notBy(bob)])
      return all
    }
  }

  for (const point of points) {
    test(`at the point "${point}": nothing is lost, unpublished or miscounted`, async () => {
      const room = await gateway.newRoom([alice, bob])
      const acknowledged = await sendUntilKilled(room, point)
      assert.ok(acknowledged.length > 0)
      const roomKey = key(gateway.app, room)
      const all = await counted(room)
      const ids = new Set(all.map(({ _id }) => _id))
      assert.deepEqual(
        acknowledged.filter(({ _id }) => !ids.has(_id)),
        [],
      )
      assert.deepEqual(
        all.map(({ seq }) => seq),
        all.map((_, i) => i + 1),
      )
      const last = acknowledged.at(-1) as Acknowledged
      const again = { room, ...last, _id: undefined, message: 'again', messageType: 'text' }
      assert.equal((await gateway.admin('POST', '/messages', again)).body.result._id, last._id)

      const published = () => new Set(heard.events.map(({ payload }) => (payload as { _id: string })._id))
      await eventually('every event', () => ids.difference(published()).size === 0)
      await eventually('all is flushed', async () => {
        return (await gateway.chat.db.rooms.findOne({ _id: roomKey }))?.buffer?.length === 0
      })
      assert.deepEqual(await counted(room), all)
      assert.equal((await findAllMessages(gateway.chat.db, { roomKey })).length, all.length)
      assert.equal((await gateway.admin('POST', '/messages', again)).body.result._id, last._id)
    })
  }
})
