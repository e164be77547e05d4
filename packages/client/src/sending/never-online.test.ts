import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import { createClient } from '../index.ts'

test('messages sent before the first login are shown in the room and its thread', async () => {
  // A port without a listener.
  const client = createClient({ url: 'http://127.0.0.1:1', clientKey: 'key', token: 'token' })
  onTestFinished(() => client.close())
  const room = client.room('room')
  const thread = room.thread('root')
  for (const to of [room, thread]) to.send('Hello').catch(() => undefined)
  for (const { messages } of [room, thread])
    await vi.waitFor(() =>
      assert.deepEqual(
        messages.get().map(({ message, state, isMine }) => ({ message, state, isMine })),
        [{ message: 'Hello', state: 'queued', isMine: true }],
      ),
    )
})

test('a send or retry after the client was closed is refused', async () => {
  const client = createClient({ url: 'http://127.0.0.1:1', clientKey: 'key', token: 'token' })
  assert.equal(client.connection.get().status, 'connecting')
  const room = client.room('room')
  const queued = room.send('Hello')
  client.close()
  for (const sent of [queued, room.send('Too late'), room.thread('root').send('Too late'), room.retry('key')]) {
    await assert.rejects(sent, { code: 'CLOSED' })
  }
  assert.equal(client.connection.get().status, 'closed')
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(client.connection.get().status, 'closed')
})

test('a client that was closed stays closed: connect() does nothing', () => {
  const client = createClient({ url: 'http://127.0.0.1:1', clientKey: 'key', token: 'token' })
  client.close()
  client.connect()
  assert.equal(client.connection.get().status, 'closed')
})
