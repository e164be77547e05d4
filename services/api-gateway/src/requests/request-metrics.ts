import type { Figures } from '@parley/chat/integrations/stats-report'
import type { ErrorCode } from '@parley/contracts/errors'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Error code of the response, if any. */
    errorCode: ErrorCode | undefined
  }
}

/** Counts and times requests by route and app, and logs one line each, with app and error code. */
export function watchRequests(app: FastifyInstance, metrics: Metrics, log: Logger, figures?: Figures): void {
  const durations = metrics.requestHistogram(
    'parley_http_request_duration_seconds',
    'Duration of requests',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ['method', 'route', 'status'],
  )
  // No redaction: these lines contain no secrets, and searching for them takes longer than writing.
  const lines = log.child({}, { redact: [] })
  app.decorateRequest('errorCode', undefined)
  app.addHook('onResponse', (request, reply, done) => {
    const { method, caller, errorCode: code } = request
    const route = request.routeOptions.url ?? 'unknown'
    const { statusCode: status, elapsedTime } = reply
    durations.observe({ method, route, status: String(status) }, elapsedTime / 1000, request.id)
    if (figures && caller?.app !== undefined) {
      figures.add(caller.app, 'requests')
      if (status >= 400) figures.add(caller.app, status >= 500 ? 'failedRequests' : 'refusedRequests')
    }
    if (lines.isLevelEnabled('info')) {
      lines.info(
        { request: request.id, app: caller?.app, method, route, status, code, ms: Math.round(elapsedTime) },
        'request',
      )
    }
    done()
  })
}
