import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t } from 'uWebSockets.js'
import { type Carried, Connection } from './connection.ts'
import { answerPreflight, writeCorsHeaders } from './cors.ts'
import { type Counters, newCounters } from './counters.ts'
import type { EngineEvents, EngineSettings, EngineState, Refusal } from './engine-state.ts'
import { Heartbeat } from './heartbeat.ts'
import type { PollOwner } from './poll-owner.ts'
import {
  badRequest,
  countRefusal,
  errorResponse,
  Polling,
  type PollRequest,
  type PollResponse,
  type Reply,
  servePoll,
  textResponse,
  unknownSession,
} from './polling.ts'
import { clientAddress, type OpeningRequest, ownQuery } from './request.ts'
import { newSessionId, nodeOfSession } from './session-id.ts'
import { openPacket, webSocketBehavior } from './websocket.ts'

export type EngineOptions<S> = Partial<EngineSettings> &
  Pick<EngineEvents<S>, 'onMessage'> &
  Partial<EngineEvents<S>> & { app: TemplatedApp; counters?: Counters }

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

const STATUS: Record<number, string> = {
  200: '200 OK',
  400: '400 Bad Request',
  403: '403 Forbidden',
  413: '413 Payload Too Large',
  429: '429 Too Many Requests',
  502: '502 Bad Gateway',
  503: '503 Service Unavailable',
}

type HttpSide = Pick<EngineState<never>, 'counters' | 'cors'>

function write(res: HttpResponse, state: HttpSide, origin: string, response: PollResponse): void {
  countRefusal(state.counters.refused, response)
  res.cork(() => {
    res.writeStatus(STATUS[response.status] ?? String(response.status))
    writeCorsHeaders(res, state.cors, origin)
    for (const [name, value] of Object.entries(response.headers)) res.writeHeader(name, value)
    res.writeHeader('Cache-Control', 'no-store')
    res.end(response.body)
  })
}

/** What is wrong with a request whatever its session, in the reference server's codes. */
function protocolError(req: HttpRequest, transport: string): PollResponse | undefined {
  if (req.getQuery('transport') !== transport) return errorResponse(400, 0, 'Transport unknown')
  if (req.getQuery('EIO') !== '4') return errorResponse(400, 5, 'Unsupported protocol version')
  return undefined
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
  const refuse = (response: PollResponse) => write(res, state, origin, response)
  const wrong = protocolError(req, 'websocket')
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
  const connection = state.polls.get(sid)
  // A session of another node stays on polling: the stock client takes the refusal of its probe as that.
  if (connection?.polling === undefined || connection.closed) return refuse(unknownSession())
  if (connection.polling.probe !== undefined) return refuse(badRequest('upgrade already under way'))
  res.upgrade<Carried<S>>({ connection }, key, protocol, extensions, context)
  return undefined
}

function handleRequest<S>(state: EngineState<S>, res: HttpResponse, req: HttpRequest): void {
  const origin = req.getHeader('origin')
  const method = req.getMethod()
  const answer = (response: PollResponse) => write(res, state, origin, response)
  if (method === 'options') return answerPreflight(res, state.cors, origin)
  const wrong = protocolError(req, 'polling')
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
  serve(state, res, method, sid, answer)
  return undefined
}

/** Serves a request of a session: here, or by the node that holds it. */
function serve<S>(state: EngineState<S>, res: HttpResponse, method: 'get' | 'post', sid: string, answer: Reply): void {
  let gone = false
  let abort: (() => void) | undefined
  res.onAborted(() => {
    gone = true
    abort?.()
  })
  const reply: Reply = (response) => {
    if (gone) return
    gone = true
    answer(response)
  }
  const dispatch = (request: PollRequest) => {
    const node = nodeOfSession(sid)
    if (state.pollOwner === undefined || node === undefined || node === state.nodeId) {
      abort = servePoll(state.polls, request, reply)
    } else abort = forward(state.pollOwner, node, request, reply)
  }
  if (method === 'get') dispatch({ method: 'GET', sid, body: '' })
  else {
    readBody(res, state.maxPayload, (body) => {
      if (body === undefined) reply(errorResponse(413, 3, 'Payload too large'))
      else dispatch({ method: 'POST', sid, body })
    })
  }
}

function forward(pollOwner: PollOwner, node: string, request: PollRequest, reply: Reply): () => void {
  const controller = new AbortController()
  // Out of reach is gone, for the client: it opens a new session.
  pollOwner(node, request, controller.signal).then(reply, () => reply(errorResponse(400, 1, 'Session out of reach')))
  return () => controller.abort()
}

/** Reads a body of at most `limit` bytes; hands over undefined when it is larger. */
function readBody(res: HttpResponse, limit: number, done: (body: string | undefined) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  res.onData((chunk, isLast) => {
    if (size > limit) return
    size += chunk.byteLength
    if (size > limit) {
      chunks.length = 0
      done(undefined)
      return
    }
    chunks.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) done(Buffer.concat(chunks).toString())
  })
}
