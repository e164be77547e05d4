import type { ClientEmit } from '@parley/contracts/socket/client-emits'
import type { Counter, Metrics, RequestHistogram } from '@parley/service/metrics'
import type { SocketServer } from '@parley/socketio/server'
import type { SocketData } from './session.ts'
import type { Sockets } from './sockets.ts'

export function exportSocketCounters(metrics: Metrics, server: SocketServer<SocketData>, sockets: Sockets): void {
  const { counters } = server
  metrics.gaugesOf('parley_connections', 'Open connections', 'transport', () => counters.connections)
  metrics.gaugeOf('parley_authenticated_connections', 'Authenticated connections', () => sockets.size)
  metrics.counterOf('parley_connections_opened_total', 'Connections opened', 'transport', () => counters.opened)
  metrics.counterOf('parley_connections_closed_total', 'Connections closed', 'reason', () => counters.closes)
  metrics.counterOf(
    'parley_connections_refused_total',
    'Handshakes and polls refused',
    'reason',
    () => counters.refused,
  )
  metrics.counterOf(
    'parley_slow_reader_drops_total',
    'Drops because the queue of a slow reader was full',
    'direction',
    () => ({
      out: counters.drops,
    }),
  )
  metrics.counterOf('parley_packets_total', 'Engine.IO packets', 'direction', () => ({
    in: counters.packetsIn,
    out: counters.packetsOut,
  }))
}

export function deliveredCounter(metrics: Metrics): Counter<'event'> {
  return metrics.counter('parley_events_delivered_total', 'Events delivered, counted per socket', ['event'])
}

/** Once per message and node, however many sockets get it; without messages that no socket here gets. */
export function deliveryDelay(metrics: Metrics): RequestHistogram {
  return metrics.requestHistogram(
    'parley_delivery_seconds',
    'Time from the acceptance of a message until this node wrote it to its sockets',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
  )
}

export function resumesCounter(metrics: Metrics): Counter<'outcome'> {
  return metrics.counter(
    'parley_resumes_total',
    'Clients with `since`, by outcome: resumed, or the reason against it',
    ['outcome'],
  )
}

/** Called for every emit with its duration and error code. */
export type Emitted = (emit: ClientEmit | 'unknown', seconds: number, code: string) => void

export function emitDurations(metrics: Metrics): Emitted {
  const durations = metrics.histogram(
    'parley_emit_duration_seconds',
    'Time from a client emit to its acknowledgement',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ['emit', 'code'],
  )
  return (emit, seconds, code) => durations.observe({ emit, code }, seconds)
}
