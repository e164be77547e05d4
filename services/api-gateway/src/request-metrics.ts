import type { Metrics } from '@parley/service/metrics'
import type { FastifyInstance } from 'fastify'

/** Counts and times every request by route, and logs one line for each. */
export function watchRequests(app: FastifyInstance, metrics: Metrics): void {
  const durations = metrics.histogram(
    'parley_http_request_duration_seconds',
    'How long requests took',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ['method', 'route', 'status'],
  )
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const seconds = reply.elapsedTime / 1000
    durations.observe({ method: request.method, route, status: String(reply.statusCode) }, seconds)
    request.log.info(
      { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'request',
    )
  })
}
