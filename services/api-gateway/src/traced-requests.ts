import type { IncomingMessage } from 'node:http'
import type { Request, Tracing } from '@parley/service/trace'
import type { FastifyInstance } from 'fastify'

/** Gives every request its ID, and follows it until it is answered. */
export interface TracedRequests {
  /** Answers the ID. */
  begin(request: IncomingMessage): string
  watch(app: FastifyInstance): void
}

export function createTracedRequests(tracing: Tracing): TracedRequests {
  const begun = new WeakMap<IncomingMessage, Request>()
  return {
    begin(raw) {
      const { method = '', headers } = raw
      const traceparent = typeof headers.traceparent === 'string' ? headers.traceparent : undefined
      const request = tracing.begin(method, { given: requestIdOf(headers['x-request-id']), traceparent })
      begun.set(raw, request)
      return request.id
    },
    watch(app) {
      app.addHook('onResponse', async (request, reply) => {
        const { method, raw, routeOptions } = request
        const route = routeOptions.url ?? 'unknown'
        const step = begun.get(raw)
        step?.rename(`${method} ${route}`)
        step?.end(
          { 'http.request.method': method, 'http.route': route, 'http.response.status_code': reply.statusCode },
          reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined,
        )
      })
    },
  }
}

/** A request ID that a load balancer gave, if it is fit for logs and bus headers. */
function requestIdOf(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : undefined
}
