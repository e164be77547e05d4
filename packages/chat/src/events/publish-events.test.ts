import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { PendingEventsDoc } from '@parley/db/events/documents'
import { test } from 'vitest'
import { nothingKnown } from './as-of-now.ts'
import { publishInOrder } from './publish-events.ts'

test('a process stops publishing after its lease, since others may have published newer events', async () => {
  const to = { app: 'app', user: 'alice' }
  const notes = ['first', 'second'].map((id) => ({
    _id: id,
    atMS: 0,
    orderingKey: 'orderingKey',
    events: [{ kind: 'event' as const, id, to, event: 'myPrefDelete' as const, json: '"x"' }],
  }))
  const untilMS = performance.now() + 50
  const published: string[] = []
  const cleared: string[] = []
  const publishToStream = async (_subject: string, _json: string, headers: { get: (name: string) => string }) => {
    published.push(headers.get('Nats-Msg-Id'))
    while (performance.now() <= untilMS) await pause(10)
    return published.length
  }
  const parts = {
    bus: { connected: true, publishToStream },
    steps: { step: () => ({ end: () => undefined }) },
    cleared: { ordered: ({ _id }: Pick<PendingEventsDoc, '_id'>) => cleared.push(_id) },
    untilMS,
  }
  assert.equal(await publishInOrder(parts as never, notes, nothingKnown), false)
  assert.deepEqual([published, cleared], [['first'], ['first']])
})
