import type { Counter, Metrics } from '@parley/service/metrics'
import type { SocketServer } from '@parley/socketio/server'
import type { SocketData } from './session.ts'

/** Exports what the socket server counts about itself. */
export function watchSockets(metrics: Metrics, server: SocketServer<SocketData>): { delivered: Counter<'event'> } {
  const { counters } = server
  metrics.gaugeOf('parley_websocket_connections', 'Open WebSocket connections', () => counters.connections.websocket)
  metrics.gaugeOf('parley_polling_sessions', 'Open long-polling sessions', () => counters.connections.polling)
  metrics.gaugeOf(
    'parley_slow_reader_drops',
    'Connections closed because their reader was too slow',
    () => counters.drops,
  )
  return {
    delivered: metrics.counter('parley_events_delivered_total', 'Events handed to sockets, once per socket', ['event']),
  }
}
