import assert from 'node:assert/strict'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import { createMetrics } from '@parley/service/metrics'
import { test } from 'vitest'
import { createLiveOrder } from './live-order.ts'
import { topicOf } from './topics.ts'

test('an event that is taken after the last socket has left its room does not wait for the next socket', () => {
  const to = { app: 'a', room: 'r' }
  const heard: number[] = []
  let isSubscribed = true
  const order = createLiveOrder({
    waitMS: 200,
    deliver: ({ message }) => heard.push(message?.seq ?? 0),
    fetch: async () => false,
    metrics: createMetrics('realtime'),
    queue: () => ({ drain: () => undefined, isHeld: false }),
    interest: () => ({ has: (topic) => isSubscribed && topic === topicOf(to) }),
  })
  const sent = (seq: number): IncomingEvent => ({
    to,
    event: 'chat message',
    id: `${seq}`,
    data: new Uint8Array(1),
    message: { seq, isSoonAfter: true },
  })
  isSubscribed = false
  order.forget(topicOf(to))
  order.take(sent(7))
  isSubscribed = true
  order.take(sent(10))
  order.stop()
  assert.deepEqual(heard, [10])
})
