import type { HttpRequest } from 'uWebSockets.js'
import { badRequest, errorResponse } from '../polling/answer.ts'
import type { PollResponse } from '../polling/poll-owner.ts'

/**
 * Checks a request independently of its session; error codes as in the reference server. Every request must have the
 * protocol version of its session (CVE-2026-102599).
 */
export function requestFault(req: HttpRequest, transport: 'polling' | 'websocket'): PollResponse | undefined {
  if (req.getQuery('transport') !== transport) return errorResponse(400, 0, 'Transport unknown')
  if (req.getQuery('EIO') !== '4') return errorResponse(400, 5, 'Unsupported protocol version')
  return undefined
}

export const unclearEnd = (): PollResponse => badRequest('Unclear body length')

/**
 * Whether every proxy agrees with us on the end of the request's body (RFC 9112, section 6.3). uWebSockets.js uses the
 * first of two lengths, and treats any transfer coding as `chunked`. A proxy that decides otherwise would see different
 * requests (request smuggling).
 */
export function isClearlyFramed(req: HttpRequest, transport: 'polling' | 'websocket'): boolean {
  const coding = req.getHeader('transfer-encoding')
  const length = req.getHeader('content-length')
  if (coding === '' && length === '') return true
  // WebSocket frames follow the request, so it cannot have a body.
  if (transport === 'websocket') return coding === '' && length === '0'
  let fields = 0
  req.forEach((name) => {
    if (name === 'content-length' || name === 'transfer-encoding') fields++
  })
  return fields === 1 && (coding === '' || coding.toLowerCase() === 'chunked')
}
