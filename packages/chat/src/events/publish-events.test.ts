import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { OutboxEntry } from '@parley/db/events/documents'
import { test } from 'vitest'
import { noDocs } from './current-docs.ts'
import { publishInOrder } from './publish-events.ts'

test('a process stops publishing after its lease, since others may have published newer events', async () => {
  const to = { app: 'app', user: 'alice' }
  const entries = ['first', 'second'].map((id) => ({
    _id: id,
    atMS: 0,
    orderingKey: 'orderingKey',
    events: [{ kind: 'event' as const, id, to, event: 'myPrefDelete' as const, json: '"x"' }],
  }))
  const untilMS = performance.now() + 50
  const published: string[] = []
  const cleanup: string[] = []
  const publishToStream = async (_subject: string, _json: string, headers: { get: (name: string) => string }) => {
    published.push(headers.get('Nats-Msg-Id'))
    while (performance.now() <= untilMS) await pause(10)
    return published.length
  }
  const parts = {
    bus: { connected: true, publishToStream },
    tracing: { startSpan: () => ({ end: () => undefined }) },
    cleanup: { ordered: ({ _id }: Pick<OutboxEntry, '_id'>) => cleanup.push(_id) },
    untilMS,
  }
  assert.equal(await publishInOrder(parts as never, entries, noDocs), false)
  assert.deepEqual([published, cleanup], [['first'], ['first']])
})
