import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { NewPackets } from '../accepting/accept-queue.ts'
import { type Counters, newCounters } from '../counters.ts'
import { answerAndClose, answerTo, badRequest, errorResponse, textResponse, unknownSession } from '../polling/answer.ts'
import type { PollRequest, PollResponse } from '../polling/poll-owner.ts'
import { serveRequest } from '../polling/poll-request.ts'
import { servePoll } from '../polling/serve-poll.ts'
import { SlowReaders } from '../sockets/backpressure.ts'
import type { Bridge } from '../websocket/bridge.ts'
import { upgrade } from '../websocket/upgrade.ts'
import { openPacket, webSocketBehavior } from '../websocket/websocket.ts'
import type { EngineEvents, EngineState } from './connection.ts'
import { type Carried, Connection } from './connection.ts'
import { answerPreflight } from './cors.ts'
import type { EngineSettings } from './engine-settings.ts'
import { Heartbeat } from './heartbeat.ts'
import { openSession } from './open-session.ts'
import { pollName } from './request.ts'
import { isClearlyFramed, requestFault, unclearEnd } from './request-fault.ts'
import { isNodeId } from './session-id.ts'

/** The largest accepted message by default, in bytes. */
export const DEFAULT_MAX_PAYLOAD = 1_000_000

type EngineOptions<S> = Partial<EngineSettings> &
  Pick<EngineEvents<S>, 'onMessage'> &
  Partial<EngineEvents<S>> & { app: TemplatedApp; counters?: Counters; slowReaders?: SlowReaders }

export type Engine<S> = {
  counters: Counters
  connections: () => Iterable<Connection<S>>
  /** WebSockets of this node for sessions on other nodes. */
  bridges: ReadonlySet<Bridge>
  /** Serves a request that another node forwarded (see PollOwner). `signal` aborts when the requester leaves. */
  serveForwarded: (request: PollRequest, signal: AbortSignal) => Promise<PollResponse>
  /** Pings every client now: `unansweredMS` then says which of them answer. */
  pingAll: () => void
  /** Stops the timer. Close the connections first; the uWebSockets.js app remains the caller's. */
  stop: () => void
}

/**
 * An Engine.IO 4 server (https://socket.io/docs/v4/engine-io-protocol/) on the routes of a uWebSockets.js app: both
 * transports, the upgrade between them, heartbeats. The caller listens with the app.
 * @throws Error if `nodeId` is not valid in a session ID
 */
export function createEngine<S>(options: EngineOptions<S>): Engine<S> {
  const { nodeId } = options
  if (nodeId !== undefined && !isNodeId(nodeId))
    throw new Error(`nodeId ${JSON.stringify(nodeId)}: 1 to 32 of A-Z a-z 0-9 _ -`)
  const pingIntervalMS = options.pingIntervalMS ?? 25_000
  const pingTimeoutMS = options.pingTimeoutMS ?? 20_000
  const unflushed = new Set<Connection<S>>()
  const state: EngineState<S> = {
    path: options.path ?? '/engine.io/',
    nodeId,
    pingIntervalMS,
    pingTimeoutMS,
    bodyTimeoutMS: options.bodyTimeoutMS ?? 30_000,
    upgradeTimeoutMS: options.upgradeTimeoutMS ?? 10_000,
    maxPayload: options.maxPayload ?? DEFAULT_MAX_PAYLOAD,
    maxBufferedBytes: options.maxBufferedBytes ?? 1_048_576,
    maxPacketsPerSecond: options.maxPacketsPerSecond ?? Number.POSITIVE_INFINITY,
    cors: options.cors,
    trustedProxies: options.trustedProxies ?? 0,
    keepHeaders: options.keepHeaders ?? [],
    acceptQueue: options.acceptQueue,
    admit: options.admit,
    onOpen: options.onOpen ?? (() => {}),
    onMessage: options.onMessage,
    onUpgrade: options.onUpgrade ?? (() => {}),
    onClose: options.onClose ?? (() => {}),
    onBridgeOpen: options.onBridgeOpen ?? (() => {}),
    onBridgeClose: options.onBridgeClose ?? (() => {}),
    pollOwner: options.pollOwner,
    counters: options.counters ?? newCounters(),
    slowReaders: options.slowReaders ?? new SlowReaders(),
    newPackets: new NewPackets(options.acceptQueue, receive),
    heartbeat: new Heartbeat(pingIntervalMS, pingTimeoutMS),
    sessions: new Map(),
    bridges: new Set(),
    foreignPosts: new Set(),
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
    connections: () => state.sessions.values(),
    bridges: state.bridges,
    serveForwarded: (request, signal) =>
      new Promise((resolve) => {
        const stop = servePoll(state.sessions, request, resolve)
        if (stop === undefined) return
        const gone = () => {
          stop()
          // No one reads this response; it only settles the promise.
          resolve(unknownSession())
        }
        if (signal.aborted) gone()
        else signal.addEventListener('abort', gone, { once: true })
      }),
    pingAll: () => state.heartbeat.pingAll(),
    stop: () => state.heartbeat.stop(),
  }
}

/** Handles a packet of a WebSocket; a protocol violation closes the connection. */
function receive<S>(connection: Connection<S>, packet: string): void {
  if (connection.closeReason !== undefined || connection.closed) return
  if (!connection.receive(packet)) connection.close('parse error')
}

function handleRequest<S>(state: EngineState<S>, res: HttpResponse, req: HttpRequest): void {
  const answer = answerTo(res, req, state)
  const method = req.getMethod()
  if (!isClearlyFramed(req, 'polling')) return answerAndClose(res, answer, unclearEnd())
  if (method === 'options') return answerPreflight(res, req, state.cors)
  const fault = requestFault(req, 'polling')
  if (fault !== undefined) return answer(fault)
  const sid = req.getQuery('sid')
  // Some clients send an empty `sid=` for a new session.
  if (!sid) {
    if (method !== 'get') return answer(errorResponse(400, 2, 'Bad handshake method'))
    const connection = openSession(state, 'polling', res, req)
    if (!(connection instanceof Connection)) return answer(connection)
    answer(textResponse(openPacket(connection, ['websocket'])))
    state.onOpen(connection)
    return undefined
  }
  if (method !== 'get' && method !== 'post') return answer(badRequest())
  return serveRequest(state, res, method, sid, answer, pollName(req))
}
