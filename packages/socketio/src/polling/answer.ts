import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { type Counters, count } from '../counters.ts'
import { type CorsOptions, writeCorsHeaders } from '../engine/cors.ts'
import type { PollResponse } from './poll-owner.ts'

export type Reply = (response: PollResponse) => void

const TEXT = { 'Content-Type': 'text/plain; charset=UTF-8' }

export function textResponse(body: string): PollResponse {
  return { status: 200, headers: TEXT, body }
}

/** Engine.IO's error body; codes as in the reference server. */
export function errorResponse(status: number, code: number, message: string): PollResponse {
  const body = JSON.stringify({ code, message })
  return { status, headers: { 'Content-Type': 'application/json' }, body, error: message }
}

export const unknownSession = (): PollResponse => errorResponse(400, 1, 'Session ID unknown')
/** For an unreachable owner: the client treats the session as gone, and opens a new one. */
export const outOfReach = (): PollResponse => errorResponse(400, 1, 'Session out of reach')
export const badRequest = (message = 'Bad request'): PollResponse => errorResponse(400, 3, message)

const STATUS: Record<number, string> = {
  200: '200 OK',
  400: '400 Bad Request',
  403: '403 Forbidden',
  413: '413 Payload Too Large',
  429: '429 Too Many Requests',
  502: '502 Bad Gateway',
  503: '503 Service Unavailable',
}

type HttpSide = { counters: Counters; cors: CorsOptions | undefined }

/**
 * Returns a function that responds to a request at any later time, and counts errors. Reads the request, so call this
 * before the handler returns. A response to HEAD has no body (RFC 9110, section 9.3.2): a proxy would take the body for
 * the next response.
 */
export function answerTo(res: HttpResponse, req: HttpRequest, { counters, cors }: HttpSide): Reply {
  const origin = req.getHeader('origin')
  const isHead = req.getMethod() === 'head'
  return ({ status, headers, body, error, close = false }) => {
    if (error !== undefined) count(counters.refused, error)
    res.cork(() => {
      res.writeStatus(STATUS[status] ?? String(status))
      writeCorsHeaders(res, cors, origin)
      for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value)
      res.writeHeader('Cache-Control', 'no-store')
      if (!isHead) res.end(body, close)
      else if (close) res.end('', true)
      else {
        // With the length as an argument, uWebSockets.js would wait for the body.
        res.writeHeader('Content-Length', String(Buffer.byteLength(body)))
        res.endWithoutBody()
      }
    })
  }
}

/**
 * Responds to a request whose end is uncertain, and closes the connection. uWebSockets.js accepts no further request
 * before the response and closes if one has arrived, so the response waits until all bytes that came with the request
 * are read.
 */
export function answerAndClose(res: HttpResponse, answer: Reply, response: PollResponse): void {
  let isGone = false
  res.onAborted(() => {
    isGone = true
  })
  setImmediate(() => {
    if (!isGone) answer({ ...response, close: true })
  })
}
