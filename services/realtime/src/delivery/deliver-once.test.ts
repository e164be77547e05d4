import assert from 'node:assert/strict'
import { clock } from '@parley/async/clock'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import { createLog } from '@parley/service/log'
import { createMetrics } from '@parley/service/metrics'
import { withoutTracing } from '@parley/service/trace'
import { describe, test } from 'vitest'
import { deliveredCounter, deliveryDelay } from '../connections/socket-metrics.ts'
import { createDelivery } from './deliver-once.ts'

describe('parley_delivery_seconds', () => {
  function startTestDelivery({ sockets = 1 } = {}) {
    const metrics = createMetrics('realtime')
    const delivery = createDelivery({
      send: () => sockets,
      sendToNewer: () => 1,
      recordDelivered: () => undefined,
      delivered: deliveredCounter(metrics),
      delay: deliveryDelay(metrics),
      cutOff: () => ({ sinceMS: 0, untilMS: 0 }),
      tracing: withoutTracing(),
      log: createLog({ service: 'realtime', node: 'test', level: 'silent' }),
    })
    /** Messages that took at most this many seconds, as Prometheus reads them. */
    const within = async (le: string) => {
      const { text } = await metrics.scrape()
      const line = new RegExp(
        `^parley_delivery_seconds_bucket\\{(?=[^}]*le="${le.replace('+', '\\+')}")[^}]*\\} (\\d+)$`,
        'm',
      )
      return Number(line.exec(text)?.[1] ?? 0)
    }
    return { delivery, within }
  }

  const sent = (id: string, ageMS: number): IncomingEvent => ({
    ...{ to: { app: 'app', room: 'room' }, event: 'chat message', id, data: new Uint8Array() },
    acceptedAtMS: clock.now() - ageMS,
  })

  test('runs from the acceptance that the event carries', async () => {
    const { delivery, within } = startTestDelivery()
    delivery.deliver(sent('m1', 30_000))
    assert.deepEqual([await within('10'), await within('60')], [0, 1])
  })

  test('counts a message once, however often it comes and however it is read', async () => {
    const { delivery, within } = startTestDelivery()
    delivery.deliver(sent('m1', 0))
    delivery.deliver(sent('m1', 30_000))
    delivery.redeliver(sent('m1', 30_000))
    assert.equal(await within('+Inf'), 1)
  })

  test('counts a message that was missed live and found in the stream', async () => {
    const { delivery, within } = startTestDelivery()
    delivery.redeliver(sent('m1', 30_000))
    assert.deepEqual([await within('10'), await within('60')], [0, 1])
  })

  test('ignores an acceptance in the future, from a skewed clock', async () => {
    const { delivery, within } = startTestDelivery()
    delivery.deliver(sent('m1', -5_000))
    assert.equal(await within('0.005'), 1)
  })

  test('leaves out messages without a socket here, and events that carry no message', async () => {
    const { delivery, within } = startTestDelivery({ sockets: 0 })
    delivery.deliver(sent('m1', 0))
    const other = startTestDelivery()
    other.delivery.deliver({
      ...sent('m2', 0),
      event: 'messageDeleted',
      acceptedAtMS: undefined,
    } as unknown as IncomingEvent)
    assert.deepEqual([await within('+Inf'), await other.within('+Inf')], [0, 0])
  })
})
