import { ApiError } from '@parley/contracts/errors'
import type { FastifyInstance } from 'fastify'
import type { AuthenticatedCaller } from '../requests/authenticate.ts'

export interface RateLimits {
  /** Counts a request by name, over all gateways; returns how many there were in this window, and when it ends. */
  counts: { hit(name: string, windowMS: number): { count: number; leftMS: number } }
  /** Requests in a minute; 0 is no limit. */
  perApiKey: number
  perToken: number
  /** Failed logins. */
  perAddress: number
}

const windowMS = 60_000

/** Limits the requests of each API key and each user token. Register before the routes. */
export function limitRequests(
  app: FastifyInstance,
  { counts, perApiKey, perToken }: Omit<RateLimits, 'perAddress'>,
): void {
  // After authentication and before the body is read: invalid requests count as well.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const { caller } = request
    const most = caller?.kind === 'user' ? perToken : perApiKey
    if (!caller || most === 0) return done()
    const { count, leftMS } = counts.hit(nameOf(caller), windowMS)
    if (count <= most) return done()
    const seconds = Math.ceil(leftMS / 1000)
    void reply.header('retry-after', seconds)
    const refusal = new ApiError('TOO_MANY_REQUESTS', `too many requests: try again in ${seconds} s`)
    if (!request.routeOptions.config.operation?.isBare) return done(refusal)
    // The body decides the form of the refusal.
    request.refusal = refusal
    done()
  })
}

/** The digest of a key or token, and whose it is. */
function nameOf(caller: AuthenticatedCaller): string {
  return caller.kind === 'user' ? `token ${caller.app} ${caller.tokenDigest}` : `key ${caller.app} ${caller.keyDigest}`
}
