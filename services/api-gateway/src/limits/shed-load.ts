import underPressure from '@fastify/under-pressure'
import { ApiError } from '@parley/contracts/errors'
import type { Metrics } from '@parley/service/metrics'
import type { FastifyInstance, FastifyReply } from 'fastify'

const sampleMS = 1_000
const retryAfterSeconds = 10

/**
 * Refuses requests with 503 OVERLOADED and Retry-After while the event loop is further behind than this many milliseconds; 0
 * is no limit. The delay of the start does not count: at the first look, a gateway that has just started is behind.
 */
export async function shedLoad(app: FastifyInstance, metrics: Metrics, maxLoopDelayMS: number): Promise<void> {
  const shed = metrics.counter('parley_requests_shed_total', 'Requests refused because the event loop is behind', [])
  let startedMS = Number.POSITIVE_INFINITY
  app.addHook('onListen', (done) => {
    startedMS = performance.now()
    done()
  })
  await app.register(underPressure, {
    maxEventLoopDelay: maxLoopDelayMS,
    sampleInterval: sampleMS,
    exposeStatusRoute: false,
    async pressureHandler(_request, reply: FastifyReply): Promise<void> {
      if (performance.now() - startedMS < 2 * sampleMS) return
      reply.header('retry-after', retryAfterSeconds)
      shed.inc({})
      throw new ApiError('OVERLOADED')
    },
  })
}
