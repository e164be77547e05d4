import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { errorResponse } from '../polling/answer.ts'
import type { PollResponse } from '../polling/poll-owner.ts'
import { Polling } from '../polling/polling.ts'
import type { EngineState } from './connection.ts'
import { Connection } from './connection.ts'
import type { Refusal } from './engine-settings.ts'
import { clientAddress, type OpeningRequest, ownQuery } from './request.ts'
import { newSessionId } from './session-id.ts'

/** Opens the requested session, or returns the refusal. */
export function openSession<S>(
  state: EngineState<S>,
  transport: 'polling' | 'websocket',
  res: HttpResponse,
  req: HttpRequest,
): Connection<S> | PollResponse {
  const request = admission(state, transport, res, req)
  if ('refusal' in request) return request.refusal
  const connection = new Connection(state, newSessionId(state.nodeId), {
    address: request.address,
    port: request.port,
    query: request.query,
    headers: keptHeaders(state.keepHeaders, req),
  })
  if (transport === 'polling') connection.polling = new Polling(connection)
  state.sessions.set(connection.id, connection)
  state.counters.connections[transport]++
  state.counters.opened[transport]++
  state.heartbeat.alive(connection)
  return connection
}

/** The request as the admission hook sees it, and the hook's refusal. */
export function admission<S>(
  state: EngineState<S>,
  transport: OpeningRequest['transport'],
  res: HttpResponse,
  req: HttpRequest,
): OpeningRequest | { refusal: PollResponse } {
  const request: OpeningRequest = {
    transport,
    ...clientAddress(res, req, state.trustedProxies),
    query: ownQuery(req.getQuery()),
    header: (name) => req.getHeader(name),
  }
  const refusal = state.admit?.(request)
  return refusal === undefined ? request : { refusal: refusalResponse(refusal) }
}

function refusalResponse({ status, message, retryAfterSeconds }: Refusal): PollResponse {
  const { headers, ...response } = errorResponse(status, 4, message)
  return {
    ...response,
    headers: { ...headers, ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }) },
    // A client that retries opens another connection, which can reach another node.
    close: status === 503,
  }
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({})
/** The characters kept of a header: it stays in memory as long as the connection, and appears in logs. */
const HEADER_LENGTH = 512

function keptHeaders(names: readonly string[], req: HttpRequest): Readonly<Record<string, string>> {
  if (names.length === 0) return NO_HEADERS
  return Object.fromEntries(names.map((name) => [name, req.getHeader(name).slice(0, HEADER_LENGTH)]))
}
