import { monitorEventLoopDelay } from 'node:perf_hooks'
import { ApiError } from '@parley/contracts/errors'
import type { Metrics } from '@parley/service/metrics'
import type { FastifyInstance } from 'fastify'

const sampleMS = 1_000
const resolutionMS = 100
const retryAfterSeconds = 10

/**
 * Refuses requests with 503 OVERLOADED and Retry-After while the event loop delay exceeds this many milliseconds; 0 is no
 * limit. The delay caused by startup does not count. Samples only while there are requests, since each wakes the process.
 * @returns whether the event loop was behind in the latest sample
 */
export function shedLoad(app: FastifyInstance, metrics: Metrics, maxLoopDelayMS: number): () => boolean {
  const shed = metrics.counter('parley_requests_shed_total', 'Requests refused because the event loop is behind', [])
  if (maxLoopDelayMS === 0) return () => false
  let startedMS = Number.POSITIVE_INFINITY
  let isBehind = false
  const delays = monitorEventLoopDelay({ resolution: resolutionMS })
  let sampling: NodeJS.Timeout | undefined
  let sampledMS = 0
  let isAsked = false
  const stop = () => {
    clearInterval(sampling)
    sampling = undefined
    delays.disable()
  }
  function sample(): void {
    const tookMS = performance.now() - sampledMS
    sampledMS += tookMS
    // A permanently blocked loop has no measurement: the first one after a reset only starts the interval.
    const behindMS = delays.count > 0 ? delays.mean / 1e6 - resolutionMS : tookMS - sampleMS
    isBehind = behindMS > maxLoopDelayMS
    delays.reset()
    if (!isAsked && !isBehind) stop()
    isAsked = false
  }
  function start(): void {
    delays.enable()
    sampledMS = performance.now()
    sampling = setInterval(sample, sampleMS).unref()
  }
  app.addHook('onListen', (done) => {
    startedMS = performance.now()
    done()
  })
  app.addHook('onClose', (_app, done) => {
    stop()
    done()
  })
  app.addHook('onRequest', (_request, reply, done) => {
    isAsked = true
    if (!sampling) start()
    if (!isBehind || performance.now() - startedMS < 2 * sampleMS) return done()
    reply.header('retry-after', retryAfterSeconds)
    shed.inc({})
    done(new ApiError('OVERLOADED'))
  })
  return () => isBehind
}
