import assert from 'node:assert/strict'
import { roomOrderingKey, userOrderingKey } from '@parley/chat/events/ordering-keys'
import { publishMissing } from '@parley/chat/events/relay'
import type { OutboxEvent } from '@parley/db/events/documents'
import { insertEntries } from '@parley/db/events/outbox-store'
import { inTransaction } from '@parley/db/transactions/transaction'
import { eventually } from '@parley/stack/eventually'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { openNatsProxy } from '../../test-nats-proxy.ts'

describe('the event of a change', () => {
  let gateway: TestGateway
  let alice: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
  })
  afterAll(() => gateway.stop())

  test("is published after older events of its ordering key, so a dead process's events undo nothing newer", async () => {
    const { chat, app } = gateway
    const to = { app, user: alice.id }
    const older: OutboxEvent = {
      ...{ kind: 'event', id: 'older', to, event: 'myPrefChange' },
      json: JSON.stringify({ key: 'theme', data: 'older' }),
    }
    await inTransaction(chat.db, (session) =>
      insertEntries(chat.db, [{ orderingKey: userOrderingKey(to), events: [older] }], session),
    )
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
    assert.equal(await chat.db.outbox.countDocuments({}), 0)
  })

  test("of new members is published after older events of their room's ordering key", async () => {
    const { chat, app } = gateway
    const [room, bob] = [await gateway.newRoom([alice]), await gateway.newUser()]
    await chat.outbox.drained()
    const to = { app, user: alice.id }
    const older: OutboxEvent = { kind: 'event', id: 'of the room', to, event: 'myPrefDelete', json: '"older"' }
    const waiting = [{ orderingKey: roomOrderingKey(app, room), events: [older] }]
    await inTransaction(chat.db, (session) => insertEntries(chat.db, waiting, session))
    const heard = await gateway.hear()
    const { status } = await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [bob.id] })
    assert.equal(status, 200)
    await heard.next('room', ({ _id }: { _id: string }) => _id === room)
    const published = heard.events.map(({ event }) => event).filter((event) => /^(room|myPrefDelete)$/.test(event))
    assert.deepEqual(published, ['myPrefDelete', 'room'])
    await chat.outbox.drained()
    assert.equal(await chat.db.outbox.countDocuments({}), 0)
  })

  test('is published in order with many pending events of its ordering key', async () => {
    const { chat, app } = gateway
    const to = { app, user: alice.id }
    const orderingKey = userOrderingKey(to)
    const ids = Array.from({ length: 180 }, (_, i) => `waits ${i}`)
    const changes = ids.map((id) => {
      const event: OutboxEvent = { kind: 'event', id, to, event: 'myPrefDelete', json: JSON.stringify(id) }
      return { orderingKey, events: [event] }
    })
    await inTransaction(chat.db, (session) => insertEntries(chat.db, changes, session))
    const heard = await gateway.hear()
    assert.equal(await chat.outbox.publishKeys([orderingKey]), true)
    await heard.next('myPrefDelete', (id: string) => id === ids.at(-1))
    const published = heard.events.filter(({ event }) => event === 'myPrefDelete').map(({ payload }) => payload)
    assert.deepEqual(published, ids)
  })

  test('is published at once without an ordering key, as for new messages', async () => {
    assert.equal(await gateway.chat.outbox.publishKeys([]), true)
  })

  test('of a message that a gateway without NATS has flushed is published for a node that lacks it', async () => {
    const { chat, app } = gateway
    const nats = await openNatsProxy((await testServers()).natsUrl)
    const cutOff = await gateway.another({ natsUrl: nats.url })
    try {
      const room = await gateway.newRoom([alice])
      nats.cut()
      await eventually('it is cut off', () => !cutOff.chat.bus.connected)
      const body = { room, sender: alice.id, message: 'x', messageType: 'text' }
      const { _id, seq } = (await cutOff.admin('POST', '/messages', body)).body.result
      await cutOff.chat.flusher.drained()
      const heard = await gateway.hear()
      const missing = { app, room, thread: undefined, fromSeq: 1, toSeq: 3 }
      assert.equal(await publishMissing(chat, missing), seq)
      await heard.next('chat message', (message: { _id: string }) => message._id === _id)
      await chat.outbox.drained()
      assert.equal(await publishMissing(chat, missing), undefined)
    } finally {
      nats.mend()
      await cutOff.stop()
      await nats.close()
    }
  })

  test('of a message, published late, is not published again after a newer one', async () => {
    const other = await gateway.another()
    try {
      const room = await gateway.newRoom([alice])
      const { body } = await alice.call('POST', `/rooms/${room}/message`, { message: 'first', messageType: 'text' })
      const { _id } = body.result
      const heard = await gateway.hear()
      const { outbox } = other.chat
      const publish = outbox.publishInRoom.bind(outbox)
      const publishing = Promise.withResolvers<{ done: Promise<boolean> }>()
      const released = Promise.withResolvers<void>()
      // It stops after the commit.
      outbox.publishInRoom = (...given) => {
        const done = released.promise.then(() => publish(...given))
        publishing.resolve({ done })
        return done
      }
      const slow = await fetch(`${other.url}/rooms/${room}/message`, {
        method: 'POST',
        headers: { 'im-api-key': gateway.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ _id, sender: alice.id, message: 'older', messageType: 'text' }),
      })
      assert.equal(slow.status, 200)
      const { done } = await publishing.promise
      const newer = { _id, message: 'newer', messageType: 'text' }
      assert.equal((await alice.call('POST', `/rooms/${room}/message`, newer)).status, 200)
      await gateway.chat.outbox.drained()
      released.resolve()
      await done
      await gateway.admin('PUT', `/rooms/${room}`, { name: 'the end' })
      await heard.next('room', ({ name }: { name: string }) => name === 'the end')
      const texts = heard.events.flatMap(({ event, payload }) =>
        event === 'messageUpdated' ? [(payload as { message: string }).message] : [],
      )
      assert.equal(texts.at(-1), 'newer', texts.join())
    } finally {
      await other.stop()
    }
  })
})
