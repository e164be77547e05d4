import type { HttpResponse } from 'uWebSockets.js'
import { type CorsOptions, writeCorsHeaders } from './cors.ts'
import { type Counters, count } from './counters.ts'

/**
 * The answer to a poll or post; all fields survive JSON. `headers` has the content type, CORS headers are added by the
 * node that talks to the client. `error` is the message of an error answer.
 */
export type PollResponse = { status: number; headers: Record<string, string>; body: string; error?: string }
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
export const badRequest = (message = 'Bad request'): PollResponse => errorResponse(400, 3, message)

/** What is wrong with a request whatever its session, in the reference server's codes. */
export function protocolError(
  query: { transport: string | undefined; version: string | undefined },
  wanted: string,
): PollResponse | undefined {
  if (query.transport !== wanted) return errorResponse(400, 0, 'Transport unknown')
  if (query.version !== '4') return errorResponse(400, 5, 'Unsupported protocol version')
  return undefined
}

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

/** Writes an answer to a request, and counts it when it is an error. */
export function writeAnswer(res: HttpResponse, state: HttpSide, origin: string, response: PollResponse): void {
  if (response.error !== undefined) count(state.counters.refused, response.error)
  res.cork(() => {
    res.writeStatus(STATUS[response.status] ?? String(response.status))
    writeCorsHeaders(res, state.cors, origin)
    for (const [name, value] of Object.entries(response.headers)) res.writeHeader(name, value)
    res.writeHeader('Cache-Control', 'no-store')
    res.end(response.body)
  })
}
