import type { IncomingMessage } from 'node:http'
import { ApiError } from '@parley/contracts/errors'
import { refusedHost } from '@parley/service/broken-request'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { operationsAt, pathOf } from '../documents/openapi-shapes.ts'

/** Room for the 500 users of `GET /presence` with IDs of 36 characters. */
export const maxUrlLength = 24 * 1024
/** Maximum length of a URL in an error. */
const shownLength = 200
/** Maximum bytes read of a refused body. */
const maxRefusedBytes = 64 * 1024 * 1024

/** Refuses requests that match no operation, before anything is read or looked up. */
export function createRefusals() {
  const malformed = new WeakSet<IncomingMessage>()
  return {
    /** Fastify option: routes a path that is not percent-encoded UTF-8, since the route determines the form of the refusal. */
    rewriteUrl(request: IncomingMessage) {
      const { url = '/' } = request
      if (isPercentEncoded(pathOf(url))) return url
      malformed.add(request)
      return url.replaceAll('%', '%25')
    },
    /** Register after CORS, so that browsers can read refusals too. */
    register(app: FastifyInstance) {
      app.addHook('onRequest', (request, reply, done) => done(refusalOf(request, reply)))
      // Reached by requests for missing files.
      app.setNotFoundHandler((request, reply) => Promise.reject(unknownPath(request, reply)))
      app.addHook('onSend', ({ raw }, _reply, payload, done) => {
        if (!raw.complete) readToTheEnd(raw)
        done(null, payload)
      })
    },
  }

  function refusalOf(request: FastifyRequest, reply: FastifyReply): ApiError | undefined {
    const { raw, originalUrl } = request
    if (malformed.has(raw)) {
      const { operation } = request.routeOptions.config
      return new ApiError(operation?.invalid?.params ?? 'INVALID_REQUEST', 'the path is not percent-encoded UTF-8')
    }
    if (originalUrl.length > maxUrlLength) return new ApiError('URI_TOO_LONG')
    return refusedHost(raw) ?? (request.is404 ? unknownPath(request, reply) : undefined)
  }
}

function unknownPath(request: FastifyRequest, reply: FastifyReply): ApiError {
  const { method, originalUrl } = request
  const shown = `${method} ${pathOf(originalUrl).slice(0, shownLength)}`
  const taken = new Set(operationsAt(originalUrl).map((operation) => operation.method))
  if (taken.size === 0) return new ApiError('NOT_FOUND', `no ${shown}`)
  const allowed = [...taken, ...(taken.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  void reply.header('allow', allowed)
  return new ApiError('METHOD_NOT_ALLOWED', `no ${shown}: the path supports ${allowed}`)
}

/**
 * Reads the rest of a body after the response, so that clients and proxies that send before they read get the response,
 * and the connection stays usable. The request timeout applies.
 */
function readToTheEnd(request: IncomingMessage): void {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxRefusedBytes) request.socket.destroy()
  })
  request.resume()
}

function isPercentEncoded(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}
