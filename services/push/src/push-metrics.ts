import { runEvery } from '@parley/async/run-every'
import type { Bus } from '@parley/bus/connect'
import { consumerState } from '@parley/bus/stream/stream'
import type { Db } from '@parley/db/connect'
import { countCalls } from '@parley/db/push/outgoing-calls'
import { countDuePushes } from '@parley/db/push/pushes'
import type { Logger } from '@parley/service/log'
import type { Counter, Gauge, Histogram, Metrics } from '@parley/service/metrics'

export interface PushMetrics {
  /** The outcomes of pushes and calls. */
  results: Counter<'network' | 'result' | 'reason'>
  /** 1 while a network refuses our credentials. */
  stopped: Gauge<'network'>
  /** Apps with devices that the network nearly all rejects. */
  stoppedApps: Gauge<'network'>
  inFlight: Gauge<'network'>
  /** From the noting of a push until its network accepted it. */
  delay: Histogram<'network'>
}

export function createPushMetrics(metrics: Metrics): PushMetrics {
  return {
    results: metrics.counter('parley_push_results_total', 'What became of pushes and of calls to integrators', [
      'network',
      'result',
      'reason',
    ]),
    stopped: metrics.gauge('parley_push_network_stopped', '1 while a push network refuses our credentials', [
      'network',
    ]),
    stoppedApps: metrics.gauge(
      'parley_push_stopped_apps',
      'Apps to which nothing is sent, because a push network rejects nearly all their devices',
      ['network'],
    ),
    inFlight: metrics.gauge('parley_push_in_flight', 'Pushes and calls that wait for an answer', ['network']),
    delay: metrics.histogram(
      'parley_push_delay_seconds',
      'From when a push was noted until its network took it',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
      ['network'],
    ),
  }
}

/** The consumers of the stream that the push service has. */
export const consumers = ['push', 'pushThreads', 'pushToClients', 'webhooks', 'webhooksOfThreads'] as const
const networks = ['apns', 'fcm', 'web'] as const
const lookEveryMS = 5_000

/** Exports how much waits in the stream and in the database, until the signal aborts. */
export async function watchQueues(db: Db, bus: Bus, metrics: Metrics, log: Logger, signal: AbortSignal): Promise<void> {
  const lag = metrics.gauge('parley_consumer_lag_messages', 'Messages of the stream not taken yet', ['consumer'])
  const unacknowledged = metrics.gauge('parley_consumer_unacknowledged_messages', 'Messages taken and not done yet', [
    'consumer',
  ])
  const depth = metrics.gauge('parley_push_queue_depth', 'Pushes and calls that wait in the database', ['queue'])

  async function look(): Promise<void> {
    for (const consumer of consumers) {
      const state = await consumerState(bus, consumer)
      lag.set({ consumer }, state.waiting)
      unacknowledged.set({ consumer }, state.unacknowledged)
    }
    for (const network of networks) depth.set({ queue: network }, await countDuePushes(db, network))
    const calls = await countCalls(db)
    depth.set({ queue: 'calls' }, calls.waiting)
    depth.set({ queue: 'dead letters' }, calls.failed)
  }

  await runEvery(lookEveryMS, look, { onError: (error) => log.warn({ err: error }, 'queue depths not read'), signal })
}
