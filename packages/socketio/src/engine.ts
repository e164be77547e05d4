import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t } from 'uWebSockets.js'
import {
  badRequest,
  errorResponse,
  type PollResponse,
  protocolError,
  textResponse,
  unknownSession,
  writeAnswer,
} from './answer.ts'
import { SlowReaders } from './backpressure.ts'
import { Bridge } from './bridge.ts'
import { type Carried, Connection } from './connection.ts'
import { answerPreflight } from './cors.ts'
import { type Counters, newCounters } from './counters.ts'
import type { EngineEvents, EngineSettings, EngineState, Refusal } from './engine-state.ts'
import { Heartbeat } from './heartbeat.ts'
import { ownerOf, serveRequest } from './poll-request.ts'
import { Polling } from './polling.ts'
import { clientAddress, type OpeningRequest, ownQuery } from './request.ts'
import { type PollRequest, servePoll } from './serve-poll.ts'
import { newSessionId } from './session-id.ts'
import { openPacket, webSocketBehavior } from './websocket.ts'

export type EngineOptions<S> = Partial<EngineSettings> &
  Pick<EngineEvents<S>, 'onMessage'> &
  Partial<EngineEvents<S>> & { app: TemplatedApp; counters?: Counters; slowReaders?: SlowReaders }

export type Engine = {
  counters: Counters
  /** Serves a request that another node forwarded (see PollOwner); `signal` aborts when its requester went away. */
  serveForwarded: (request: PollRequest, signal: AbortSignal) => Promise<PollResponse>
  /** Stops the timer. Close the connections first; the uWebSockets.js app stays the caller's. */
  stop: () => void
}

/**
 * An Engine.IO 4 server (https://socket.io/docs/v4/engine-io-protocol/) on the routes of a uWebSockets.js app: both
 * transports, the upgrade between them, heartbeats. The caller listens with the app.
 */
export function createEngine<S>(options: EngineOptions<S>): Engine {
  const pingIntervalMs = options.pingIntervalMs ?? 25_000
  const pingTimeoutMs = options.pingTimeoutMs ?? 20_000
  const unflushed = new Set<Connection<S>>()
  const state: EngineState<S> = {
    path: options.path ?? '/engine.io/',
    nodeId: options.nodeId,
    pingIntervalMs,
    pingTimeoutMs,
    maxPayload: options.maxPayload ?? 1_000_000,
    maxBufferedBytes: options.maxBufferedBytes ?? 1_048_576,
    maxPacketsPerSecond: options.maxPacketsPerSecond ?? Number.POSITIVE_INFINITY,
    cors: options.cors,
    trustedProxies: options.trustedProxies ?? 0,
    keepHeaders: options.keepHeaders ?? [],
    admit: options.admit,
    onOpen: options.onOpen ?? (() => {}),
    onMessage: options.onMessage,
    onUpgrade: options.onUpgrade ?? (() => {}),
    onClose: options.onClose ?? (() => {}),
    pollOwner: options.pollOwner,
    counters: options.counters ?? newCounters(),
    slowReaders: options.slowReaders ?? new SlowReaders(),
    heartbeat: new Heartbeat(pingIntervalMs, pingTimeoutMs),
    polls: new Map(),
    flushSoon: (connection) => {
      if (unflushed.size === 0) setImmediate(flushAll)
      unflushed.add(connection)
    },
  }
  function flushAll(): void {
    for (const connection of unflushed) connection.polling?.flush()
    unflushed.clear()
  }

  options.app.ws<Carried<S>>(state.path, {
    ...webSocketBehavior(state),
    upgrade: (res, req, context) => upgrade(state, res, req, context),
  })
  options.app.any(state.path, (res, req) => handleRequest(state, res, req))
  return {
    counters: state.counters,
    serveForwarded: (request, signal) =>
      new Promise((resolve) => {
        const gone = servePoll(state.polls, request, resolve)
        if (gone === undefined) return
        if (signal.aborted) gone()
        else signal.addEventListener('abort', gone, { once: true })
      }),
    stop: () => state.heartbeat.stop(),
  }
}

function protocolOf(req: HttpRequest): { transport: string | undefined; version: string | undefined } {
  return { transport: req.getQuery('transport'), version: req.getQuery('EIO') }
}

function refusalResponse(refusal: Refusal): PollResponse {
  const response = errorResponse(refusal.status, 4, refusal.message)
  const { retryAfterSeconds } = refusal
  if (retryAfterSeconds === undefined) return response
  return { ...response, headers: { ...response.headers, 'Retry-After': String(retryAfterSeconds) } }
}

/** Asks the admission hook; a connection in return, or the answer that refuses it. */
function open<S>(
  state: EngineState<S>,
  transport: 'polling' | 'websocket',
  res: HttpResponse,
  req: HttpRequest,
): Connection<S> | PollResponse {
  const request: OpeningRequest = {
    transport,
    address: clientAddress(res, req, state.trustedProxies),
    query: ownQuery(req.getQuery()),
    header: (name) => req.getHeader(name),
  }
  const refusal = state.admit?.(request)
  if (refusal !== undefined) return refusalResponse(refusal)
  const headers = keptHeaders(state.keepHeaders, req)
  const connection = new Connection(state, newSessionId(state.nodeId), {
    address: request.address,
    query: request.query,
    headers,
  })
  return connection
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({})

function keptHeaders(names: readonly string[], req: HttpRequest): Readonly<Record<string, string>> {
  if (names.length === 0) return NO_HEADERS
  return Object.fromEntries(names.map((name) => [name, req.getHeader(name)]))
}

function opened<S>(connection: Connection<S>): void {
  const { counters, heartbeat } = connection.engine
  counters.connections[connection.transport]++
  counters.opened[connection.transport]++
  heartbeat.alive(connection)
}

function upgrade<S>(state: EngineState<S>, res: HttpResponse, req: HttpRequest, context: us_socket_context_t): void {
  const origin = req.getHeader('origin')
  const refuse = (response: PollResponse) => writeAnswer(res, state, origin, response)
  const wrong = protocolError(protocolOf(req), 'websocket')
  if (wrong !== undefined) return refuse(wrong)
  const key = req.getHeader('sec-websocket-key')
  const protocol = req.getHeader('sec-websocket-protocol')
  const extensions = req.getHeader('sec-websocket-extensions')
  const sid = req.getQuery('sid')
  if (sid === undefined) {
    const connection = open(state, 'websocket', res, req)
    if (!(connection instanceof Connection)) return refuse(connection)
    opened(connection)
    res.upgrade<Carried<S>>({ connection }, key, protocol, extensions, context)
    return undefined
  }
  const owner = ownerOf(state, sid)
  if (owner !== undefined) {
    const bridge = new Bridge(owner.reach, owner.node, sid, state.maxPayload)
    res.upgrade<Carried<S>>({ connection: bridge }, key, protocol, extensions, context)
    return undefined
  }
  const connection = state.polls.get(sid)
  if (connection?.polling === undefined || connection.closed) return refuse(unknownSession())
  if (connection.polling.probe !== undefined) return refuse(badRequest('upgrade already under way'))
  res.upgrade<Carried<S>>({ connection }, key, protocol, extensions, context)
  return undefined
}

function handleRequest<S>(state: EngineState<S>, res: HttpResponse, req: HttpRequest): void {
  const origin = req.getHeader('origin')
  const method = req.getMethod()
  const answer = (response: PollResponse) => writeAnswer(res, state, origin, response)
  if (method === 'options') return answerPreflight(res, state.cors, origin)
  const wrong = protocolError(protocolOf(req), 'polling')
  if (wrong !== undefined) return answer(wrong)
  const sid = req.getQuery('sid')
  if (sid === undefined) {
    if (method !== 'get') return answer(errorResponse(400, 2, 'Bad handshake method'))
    const connection = open(state, 'polling', res, req)
    if (!(connection instanceof Connection)) return answer(connection)
    connection.polling = new Polling(connection)
    state.polls.set(connection.id, connection)
    opened(connection)
    answer(textResponse(openPacket(connection, ['websocket'])))
    state.onOpen(connection)
    return undefined
  }
  if (method !== 'get' && method !== 'post') return answer(badRequest())
  serveRequest(state, res, method, sid, answer)
  return undefined
}
