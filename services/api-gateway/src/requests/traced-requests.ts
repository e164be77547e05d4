import type { IncomingMessage } from 'node:http'
import { fitRequestId, type Request, type Tracing } from '@parley/service/trace'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Gives every request its ID, and traces it until its response. */
export function createTracedRequests(tracing: Tracing) {
  const begun = new WeakMap<IncomingMessage, Request>()
  return {
    begin(raw: IncomingMessage) {
      const { method = '', headers } = raw
      const traceparent = typeof headers.traceparent === 'string' ? headers.traceparent : undefined
      const request = tracing.begin(method, { given: fitRequestId(headers['x-request-id']), traceparent })
      if (request.isTraced) begun.set(raw, request)
      return request.id
    },
    watch(app: FastifyInstance) {
      app.addHook('onRequest', (request, reply, done) => {
        void reply.header('x-request-id', request.id)
        done()
      })
      app.addHook('onResponse', (request, reply, done) => {
        const span = begun.get(request.raw)
        if (span) endSpan(span, request, reply)
        done()
      })
    },
  }
}

function endSpan(span: Request, { method, routeOptions }: FastifyRequest, { statusCode }: FastifyReply): void {
  const route = routeOptions.url ?? 'unknown'
  span.rename(`${method} ${route}`)
  span.end(
    { 'http.request.method': method, 'http.route': route, 'http.response.status_code': statusCode },
    statusCode >= 500 ? `status ${statusCode}` : undefined,
  )
}
