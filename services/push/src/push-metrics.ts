import type { Bus } from '@parley/bus/connect'
import { consumerLag } from '@parley/bus/stream/stream'
import { pushNetwork } from '@parley/contracts/resources/push/network'
import type { Db } from '@parley/db/connect'
import { countCalls } from '@parley/db/push/outgoing-calls'
import { countDuePushes } from '@parley/db/push/pushes'
import type { Counter, Gauge, Histogram, Metrics } from '@parley/service/metrics'

export interface PushMetrics {
  /** The outcomes of pushes and calls. */
  results: Counter<'network' | 'result' | 'reason'>
  /** 1 while a network refuses our credentials. */
  stopped: Gauge<'network'>
  /** Apps nearly all of whose devices the network rejects. */
  stoppedApps: Gauge<'network'>
  inFlight: Gauge<'network'>
  /** Time from the recording of a push until its network accepted it. */
  delay: Histogram<'network'>
}

export function createPushMetrics(metrics: Metrics): PushMetrics {
  return {
    results: metrics.counter('parley_push_results_total', 'Outcomes of pushes and of calls to integrators', [
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
    inFlight: metrics.gauge('parley_push_in_flight', 'Pushes and calls waiting for a response', ['network']),
    delay: metrics.histogram(
      'parley_push_delay_seconds',
      'Time from the recording of a push until its network accepted it',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
      ['network'],
    ),
  }
}

/** The stream consumers of the push service. */
export const consumers = [
  'push',
  'pushThreads',
  'pushToClients',
  'pushReads',
  'pushThreadReads',
  'webhooks',
  'webhooksOfThreads',
] as const
const networks = pushNetwork.options

/** Exports the backlog in the stream and the database, read at each scrape. */
export function exportQueues(db: Db, bus: Bus, metrics: Metrics): void {
  const ofConsumers = async (figure: 'waiting' | 'unacknowledged') => {
    const states = consumers.map(async (name) => [name, (await consumerLag(bus, name))[figure]] as const)
    return Object.fromEntries(await Promise.all(states))
  }
  metrics.gaugesOf('parley_consumer_lag_messages', 'Stream messages not received yet', 'consumer', () =>
    ofConsumers('waiting'),
  )
  metrics.gaugesOf(
    'parley_consumer_unacknowledged_messages',
    'Messages received but not acknowledged yet',
    'consumer',
    () => ofConsumers('unacknowledged'),
  )
  metrics.gaugesOf('parley_push_queue_depth', 'Pushes and calls waiting in the database', 'queue', async () => {
    const [calls, ...due] = await Promise.all([
      countCalls(db),
      ...networks.map((network) => countDuePushes(db, network)),
    ])
    const pushes = networks.map((network, i) => [network, due[i] ?? 0] as const)
    return { ...Object.fromEntries(pushes), calls: calls.waiting, 'dead letters': calls.failed }
  })
}
