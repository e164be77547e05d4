import rateLimit from '@fastify/rate-limit'
import { ApiError } from '@parley/contracts/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export interface RateLimits {
  /** Counts a request by name, over all gateways; answers how many there were in this window, and when it ends. */
  counts: { hit(name: string, windowMS: number): { count: number; leftMS: number } }
  /** Requests in a minute; 0 is no limit. */
  perApiKey: number
  perToken: number
}

const windowMS = 60_000

/** Limits the requests of each API key and each user token. Register before the routes. */
export async function limitRequests(app: FastifyInstance, { counts, perApiKey, perToken }: RateLimits): Promise<void> {
  class SharedStore {
    incr(name: string, done: (error: Error | null, result?: { current: number; ttl: number }) => void): void {
      const { count, leftMS } = counts.hit(name, windowMS)
      done(null, { current: count, ttl: leftMS })
    }
    child(): SharedStore {
      return this
    }
  }
  const isHidden = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }
  await app.register(rateLimit, {
    // The caller is known by then.
    hook: 'preHandler',
    timeWindow: windowMS,
    store: SharedStore,
    max: (_request, name) => (name.startsWith('key ') ? perApiKey : perToken),
    keyGenerator: (request) => nameOf(request) ?? '',
    allowList: (request) => {
      const name = nameOf(request)
      return name === undefined || (name.startsWith('key ') ? perApiKey : perToken) === 0
    },
    addHeadersOnExceeding: isHidden,
    addHeaders: { 'retry-after': true },
    errorResponseBuilder: (_request, { ttl }) =>
      new ApiError('TOO_MANY_REQUESTS', `too many requests: try again in ${Math.ceil(ttl / 1000)} s`),
  })
}

/** Names the key or token of a request by its digest. */
function nameOf({ caller }: FastifyRequest): string | undefined {
  if (!caller) return undefined
  const one =
    'admin' in caller ? caller.admin : 'user' in caller && typeof caller.user === 'object' ? caller.user : caller
  if ('keyDigest' in one) return `key ${one.app} ${one.keyDigest}`
  return 'token' in one ? `token ${one.app} ${one.token}` : undefined
}
