import type { Readable } from 'node:stream'
import { ApiError } from '@parley/contracts/errors'
import { readJson, unfitJson } from '@parley/contracts/free-json'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'

export const maxBodyBytes = 1024 * 1024

/** Maximum bytes read of a refused request's body. */
const refusedBodyBytes = 8 * 1024

/** The body of a refused request, which may determine the error's form; undefined if it is long or not JSON. */
export async function readRefusedBody(request: FastifyRequest): Promise<unknown> {
  const { raw } = request
  if (Number(raw.headers['content-length'] ?? 0) > refusedBodyBytes) return undefined
  const bytes = await firstBytes(raw, refusedBodyBytes)
  try {
    return bytes === undefined || bytes.length === 0 ? undefined : parseBody(request, bytes)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** All bytes of a stream; undefined once there are too many, or if it breaks off. The rest can still be read. */
function firstBytes(stream: Readable, max: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = (bytes: Buffer | undefined) => {
      stream.pause()
      stream.off('data', onData).off('end', onEnd).off('close', onClose)
      resolve(bytes)
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > max) finish(undefined)
    }
    const onEnd = () => finish(Buffer.concat(chunks))
    const onClose = () => finish(undefined)
    stream.on('data', onData).on('end', onEnd).on('close', onClose)
  })
}

/**
 * Reads the bodies of requests as JSON. An empty body counts as none, with any content type: some clients send the
 * content type with every request. JSON may also come as text/plain, which is how `fetch` sends a string.
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
    if (headers['content-type'] === '') delete headers['content-type']
    // Even an invalid content type, as long as there is no body.
    if (headers['transfer-encoding'] !== undefined) {
      // Only reading shows whether a chunked body is empty; until then, use a type that Fastify accepts.
      const type = headers['content-type']
      if (type !== undefined && !mediaType.test(type)) headers['content-type'] = 'application/octet-stream'
    } else if (Number(headers['content-length'] ?? 0) === 0) delete headers['content-type']
    done()
  })
}

/** RFC 9110, section 8.3.1. */
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

function parseBody({ headers, routeOptions }: FastifyRequest, bytes: Buffer): unknown {
  if (!isJsonType(headers['content-type']) || (headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
  }
  const value = parseJson(bytes, routeOptions.config.operation?.body)
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

function parseJson(bytes: Buffer, schema: z.ZodType | undefined): unknown {
  try {
    return readJson(utf8.decode(bytes), schema)
  } catch (error) {
    const what = error instanceof SyntaxError ? `valid JSON: ${error.message}` : 'UTF-8'
    throw new ApiError('INVALID_BODY', `the body is not ${what}`, { cause: error })
  }
}
