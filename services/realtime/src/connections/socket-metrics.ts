import type { ClientEmit } from '@parley/contracts/socket/client-emits'
import type { Counter, Metrics, RequestHistogram } from '@parley/service/metrics'
import type { SocketServer } from '@parley/socketio/server'
import type { SocketData } from './session.ts'
import type { Sockets } from './sockets.ts'

/** Exports the counters of the socket server. */
export function watchSockets(metrics: Metrics, server: SocketServer<SocketData>, sockets: Sockets): void {
  const { counters } = server
  metrics.gaugesOf('parley_connections', 'Open connections', 'transport', () => counters.connections)
  metrics.gaugeOf('parley_authenticated_connections', 'Connections that are a user’s', () => sockets.size)
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
    'What did not fit the queue of a slow reader',
    'direction',
    () => ({
      out: counters.drops,
    }),
  )
  metrics.counterOf('parley_packets_total', 'Packets of Engine.IO', 'direction', () => ({
    in: counters.packetsIn,
    out: counters.packetsOut,
  }))
}

export function countDelivered(metrics: Metrics): Counter<'event'> {
  return metrics.counter('parley_events_delivered_total', 'Events handed to sockets, once per socket', ['event'])
}

/** Once per message and node, however many sockets get it; without messages that no socket here gets. */
export function watchDelay(metrics: Metrics): RequestHistogram {
  return metrics.requestHistogram(
    'parley_delivery_seconds',
    'From the acceptance of a message until this node wrote it to its sockets',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
  )
}

/** Outcomes for clients with `since`: resumed, or the reason against it. */
export function countResumes(metrics: Metrics): Counter<'outcome'> {
  return metrics.counter('parley_resumes_total', 'Clients that gave `since`: resumed, or why not', ['outcome'])
}

/** Called for every emit with its duration and error code. */
export type Emitted = (emit: ClientEmit | 'unknown', seconds: number, code: string) => void

export function watchEmits(metrics: Metrics): Emitted {
  const durations = metrics.histogram(
    'parley_emit_duration_seconds',
    'How long emits of clients took until they were answered',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ['emit', 'code'],
  )
  return (emit, seconds, code) => durations.observe({ emit, code }, seconds)
}
