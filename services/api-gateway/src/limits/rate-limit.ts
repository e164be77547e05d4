import type { CallerRates } from '@parley/chat/access/caller-rates'
import type { FastifyInstance } from 'fastify'

/** Limits the requests of each API key, user and app. Register before the routes. */
export function limitRequests(app: FastifyInstance, rates: CallerRates): void {
  // After authentication and before the body is read: invalid requests count as well.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const refusal = request.caller && rates(request.caller)
    if (!refusal || !request.routeOptions.config.operation?.isBare) return done(refusal)
    // The body decides the form of the refusal.
    request.refusal = refusal
    done()
  })
}
