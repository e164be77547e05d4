import assert from 'node:assert/strict'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
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

test('the events of a change are published in order, those to different users together', async () => {
  const event = (id: string, to: object) => ({ kind: 'event', id, to, event: 'removedFromRoom', json: '{}' })
  const [alice, bob, room] = [
    { app: 'app', user: 'alice' },
    { app: 'app', user: 'bob' },
    { app: 'app', room: 'r' },
  ]
  const events = [event('1', room), event('2', alice), event('3', bob), event('4', alice), event('5', room)]
  const entries = [{ _id: 'entry', atMS: 0, orderingKey: 'orderingKey', events }]
  const steps: string[] = []
  const publishToStream = async (_subject: string, _json: string, headers: { get: (name: string) => string }) => {
    const id = headers.get('Nats-Msg-Id')
    steps.push(`${id} sent`)
    await nextTurn()
    steps.push(`${id} stored`)
  }
  const parts = {
    bus: { connected: true, publishToStream },
    tracing: { startSpan: () => ({ end: () => undefined }) },
    cleanup: { ordered: () => undefined },
    untilMS: Number.POSITIVE_INFINITY,
  }
  assert.equal(await publishInOrder(parts as never, entries as never, noDocs), true)
  const alone = (id: string) => [`${id} sent`, `${id} stored`]
  const together = ['2 sent', '3 sent', '2 stored', '3 stored']
  assert.deepEqual(steps, [...alone('1'), ...together, ...alone('4'), ...alone('5')])
})
