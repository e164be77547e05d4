import { corsExposedHeaders, corsMaxAgeSeconds, corsOrigin, corsRequestHeaders } from '@parley/contracts/cors'
import { keepMarked, markNumbers } from '@parley/contracts/free-json'
import type { SettingsOf } from '@parley/service/settings'
import type { watchForProxies } from '@parley/service/untrusted-proxy'
import type { SocketServerOptions } from '@parley/socketio/server-options'
import type { RoomInterest } from '../delivery/room-interest.ts'
import type { IdleSockets } from '../limits/idle-sockets.ts'
import type { Limits } from '../limits/limits.ts'
import type { WatchPresence } from '../presence/watch-presence.ts'
import type { realtimeSettings } from '../settings.ts'
import type { Activity } from './activity.ts'
import type { watchHalfOpen } from './half-open.ts'
import { newSocketData, type SocketData } from './session.ts'
import type { Sockets } from './sockets.ts'

type Options = Omit<SocketServerOptions<SocketData>, 'app'>

/** For clients whose connection to a proxy outlives the node: a retry reaches another node. */
const stopping = { status: 503, message: 'node is stopping', retryAfterSeconds: 1 } as const

export function protocolOptions(settings: SettingsOf<typeof realtimeSettings>) {
  return {
    path: '/socket.io/',
    nodeId: settings.nodeId,
    pingIntervalMS: settings.pingIntervalMS,
    pingTimeoutMS: settings.pingTimeoutMS,
    connectTimeoutMS: settings.authenticateWithinMS,
    maxPayload: settings.maxPayload,
    maxPacketsPerSecond: settings.packetsPerSecond,
    maxBufferedBytes: settings.maxBufferedBytes,
    trustedProxies: settings.trustedProxies,
    keepHeaders: ['user-agent'],
    cors: {
      origin: corsOrigin,
      allowedHeaders: corsRequestHeaders,
      exposedHeaders: corsExposedHeaders,
      maxAgeSeconds: corsMaxAgeSeconds,
    },
    // Numbers in free JSON come back digit for digit.
    reader: { before: markNumbers, after: keepMarked },
    codecs: { base64: (json: string | Uint8Array) => JSON.stringify(Buffer.from(json).toString('base64')) },
  } satisfies Partial<Options>
}

interface HookParts {
  idle: IdleSockets
  limits: Limits
  sockets: Sockets
  activity: Activity
  interest: RoomInterest
  watching: Pick<WatchPresence, 'forget'>
  halfOpen: Pick<ReturnType<typeof watchHalfOpen>, 'ended'>
  isStopping: () => boolean
  /** Looks for signs of proxies on each connection. */
  seen: ReturnType<typeof watchForProxies>
}

export function connectionHooks(parts: HookParts) {
  const { idle, limits, sockets, activity, interest, watching, halfOpen, isStopping, seen } = parts
  return {
    admit(request) {
      seen(request.header('x-forwarded-for'), request.address)
      return isStopping() ? stopping : limits.admit(request)
    },
    onTransportOpen(connection) {
      idle.opened(connection)
      limits.opened(connection)
    },
    onTransportClose(connection) {
      idle.closed(connection)
      limits.closed(connection)
    },
    onBridgeOpen: (address) => limits.bridgeOpened(address),
    onBridgeClose: (address) => limits.bridgeClosed(address),
    initialData: newSocketData,
    onConnection: (socket) => limits.connected(socket),
    onUpgrade: (socket) => sockets.upgraded(socket),
    onDisconnect(socket, reason) {
      const { session } = socket.data
      if (session) {
        activity.ended(session, reason)
        halfOpen.ended(socket, session, reason)
      }
      sockets.remove(socket)
      watching.forget(socket)
      if (session && !socket.connection.closed) idle.unauthenticated(socket)
    },
    onTopicActive: (topic) => interest.begin(topic),
    onTopicEmpty: (topic) => interest.end(topic),
  } satisfies Partial<Options>
}
