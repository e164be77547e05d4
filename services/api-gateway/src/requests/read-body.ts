import { ApiError } from '@parley/contracts/errors'
import { unfitJson } from '@parley/contracts/free-json'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export const maxBodyBytes = 1024 * 1024

/**
 * Reads the bodies of requests as JSON. An empty body counts as none, whatever its content type: some clients send the content
 * type with every request. JSON may also come as text/plain, which is what `fetch` calls a string.
 */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, bytes: Buffer, done) => {
    try {
      done(null, bytes.length === 0 ? undefined : parseBody(request, bytes))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    // Even an invalid content type, as long as there is no body.
    if (headers['transfer-encoding'] !== undefined) {
      // In chunks, the body shows later whether it is empty: until then the type is one that Fastify takes.
      const type = headers['content-type']
      if (type !== undefined && !mediaType.test(type)) headers['content-type'] = 'application/octet-stream'
    } else if (Number(headers['content-length'] ?? 0) === 0) delete headers['content-type']
    done()
  })
}

/** RFC 9110, section 8.3.1. */
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

function parseBody({ headers }: FastifyRequest, bytes: Buffer): unknown {
  if (!isJsonType(headers['content-type']) || (headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
  }
  const value = parseJson(bytes)
  const unfit = unfitJson(value)
  if (unfit) throw new ApiError('INVALID_BODY', unfit)
  return value
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function isJsonType(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  const type = contentType?.split(';')[0]?.trim().toLowerCase()
  return type === undefined || /^(?:application\/(?:[\w.-]+\+)?json|text\/plain|text\/json)$/.test(type)
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    const what = error instanceof SyntaxError ? `valid JSON: ${error.message}` : 'UTF-8'
    throw new ApiError('INVALID_BODY', `the body is not ${what}`, { cause: error })
  }
}
