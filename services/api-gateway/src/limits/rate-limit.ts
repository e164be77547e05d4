import type { CallerRates } from '@parley/chat/access/caller-rates'
import type { FastifyInstance } from 'fastify'

/** Marks internal requests on behalf of an already counted one; the value is `countedMark`. */
export const countedHeader = 'parley-counted'

/** Limits the requests of keys, users and apps. Register before the routes. @param countedMark this process's secret */
export function limitRequests(app: FastifyInstance, rates: CallerRates, countedMark: string): void {
  // After authentication and before the body is read: invalid requests count as well.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const isCounted = request.headers[countedHeader] === countedMark
    const refusal = isCounted || !request.caller ? undefined : rates(request.caller)
    if (!refusal || !request.routeOptions.config.operation?.isBare) return done(refusal)
    // The body determines the form of the refusal.
    request.refusal = refusal
    done()
  })
}
