import assert from 'node:assert/strict'
import { describe, onTestFinished, test, vi } from 'vitest'
import { Outbox } from './outbox.ts'
import { createOutboxStorage, type Storage } from './outbox-storage.ts'
import type { PendingSend } from './pending-send.ts'

describe('an outbox that several tabs share', () => {
  const hour = 3_600_000

  /** Two tabs that restored alice's message from an earlier page. */
  async function twoTabs(about: Partial<PendingSend>) {
    const left: PendingSend = {
      ...{ clientMessageID: 'id', room: 'room', user: 'alice', message: 'hello', options: {}, state: 'queued' },
      createdAtMS: Date.now(),
      ...about,
    }
    const kept = new Map([['parley.outbox.key', JSON.stringify({ lastUser: 'alice', sends: [left] })]])
    const storage: Storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) }
    const open = async () => {
      const emitted: string[] = []
      const outbox: Outbox = new Outbox({
        storage: createOutboxStorage(storage, () => 'key'),
        me: () => 'alice',
        isConnected: () => true,
        async emit(_event, payload) {
          emitted.push(String((payload as PendingSend).message))
          return payload
        },
        onSent: (sent) => outbox.arrived({ ...sent, sender: { _id: 'alice' } as never }),
        onChange: () => undefined,
      })
      await outbox.restore()
      return { outbox, emitted, states: () => outbox.ofRoom('room').map(({ state, error }) => error?.code ?? state) }
    }
    return [await open(), await open()] as const
  }

  test('drops a message that the other tab discarded', async () => {
    const [one, other] = await twoTabs({})
    const sent = one.outbox.retry('id')
    other.outbox.discard('id')
    await one.outbox.loggedIn('alice')
    await assert.rejects(sent, { code: 'CLOSED' })
    await one.outbox.send('room', 'the next', {}, {})
    assert.deepEqual(one.emitted, ['the next'])
    assert.deepEqual(one.states(), [])
  })

  test('does not send a failed message again that the other tab discarded', async () => {
    const [one, other] = await twoTabs({ state: 'failed' })
    other.outbox.discard('id')
    void one.outbox.retry('id')
    await one.outbox.send('room', 'the next', {}, {})
    assert.deepEqual(one.emitted, ['the next'])
    assert.deepEqual(one.states(), [])
  })

  test("repeats the other tab's recent send, which Parley dedupes", async () => {
    const [one, other] = await twoTabs({})
    await other.outbox.loggedIn('alice')
    await vi.waitFor(() => assert.deepEqual(other.states(), []), { timeout: 60_000 })
    const sent = one.outbox.retry('id')
    await one.outbox.loggedIn('alice')
    assert.equal((await sent).message, 'hello')
  })

  test("does not repeat the other tab's send once Parley no longer dedupes it", async () => {
    const [one, other] = await twoTabs({ createdAtMS: Date.now() - 25 * hour })
    await other.outbox.loggedIn('alice')
    await vi.waitFor(() => assert.deepEqual(other.states(), []), { timeout: 60_000 })
    assert.deepEqual(other.emitted, ['hello'], 'no tab had tried it, so the first one sends it')
    await one.outbox.loggedIn('alice')
    await vi.waitFor(() => assert.deepEqual(one.states(), ['OUTCOME_UNKNOWN']), { timeout: 60_000 })
    assert.deepEqual(one.emitted, [])
    await one.outbox.retry('id')
    assert.deepEqual(one.emitted, ['hello'], 'unless the user retries it')
  })
})

test('a send rejects when another user logs in, and is kept for its user', async () => {
  const kept = new Map<string, string>()
  let me = 'alice'
  const outbox = new Outbox({
    storage: createOutboxStorage(
      { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) },
      () => 'key',
    ),
    me: () => me,
    isConnected: () => false,
    emit: () => Promise.reject(new Error('not connected')),
    onSent: () => undefined,
    onChange: () => undefined,
  })
  const sent = outbox.send('room', 'hello', {}, {})
  const key = outbox.ofRoom('room')[0]?.clientMessageID ?? ''
  const rejected = Promise.all([
    assert.rejects(sent, { code: 'CLOSED' }),
    assert.rejects(outbox.retry(key), { code: 'CLOSED' }),
  ])
  me = 'bob'
  await outbox.loggedIn('bob')
  await rejected
  await assert.rejects(outbox.retry(key), { code: 'MESSAGE_NOT_FOUND' })
  me = 'alice'
  await outbox.loggedIn('alice')
  assert.deepEqual(
    outbox.ofRoom('room').map(({ message }) => message),
    ['hello'],
  )
})

describe('an outbox with a connection', () => {
  function connected() {
    const emitted: unknown[] = []
    const outbox: Outbox = new Outbox({
      storage: createOutboxStorage(undefined, () => 'key'),
      me: () => 'alice',
      isConnected: () => true,
      async emit(_event, payload) {
        emitted.push((payload as PendingSend).message)
        return payload
      },
      onSent: (sent) => outbox.arrived({ ...sent, sender: { _id: 'alice' } as never }),
      onChange: () => undefined,
    })
    return { outbox, emitted }
  }

  test('throws for content that JSON cannot represent, and sends the next message', async () => {
    const { outbox, emitted } = connected()
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    for (const content of [10n, { price: 10n }, circular])
      assert.throws(() => outbox.send('room', content, {}, {}), TypeError)
    await outbox.send('room', 'the next', {}, {})
    assert.deepEqual(emitted, ['the next'])
    assert.deepEqual(outbox.ofRoom('room'), [])
  })

  test('rejects a refused send without an unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listen)
    onTestFinished(() => void process.off('unhandledRejection', listen))
    const { outbox } = connected()
    void outbox.retry('unknown')
    await assert.rejects(outbox.retry('unknown'), { code: 'MESSAGE_NOT_FOUND' })
    outbox.close()
    void outbox.send('room', 'x', {}, {})
    void outbox.retry('unknown')
    await assert.rejects(outbox.send('room', 'x', {}, {}), { code: 'CLOSED' })
    // Node reports unhandled rejections once the microtasks have run.
    await new Promise(setImmediate)
    assert.deepEqual(unhandled, [])
  })
})
