import type { SlowReaders } from './backpressure.ts'
import type { Connection } from './connection.ts'
import type { CorsOptions } from './cors.ts'
import type { Counters } from './counters.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { PollOwner } from './poll-owner.ts'
import type { OpeningRequest } from './request.ts'

/** Why a request to open a connection is turned away; `message` is in the JSON body beside Engine.IO's error code 4. */
export type Refusal = { status: 403 | 429 | 503; message: string; retryAfterSeconds?: number }

export type EngineSettings = {
  path: string
  /** Goes into every session ID; must be safe in a URL. Needed when there is a pollOwner. */
  nodeId: string | undefined
  pingIntervalMs: number
  pingTimeoutMs: number
  /** Largest message taken, in bytes; told to the client in the handshake. */
  maxPayload: number
  /** Bytes that may wait for one slow reader before its connection is closed. */
  maxBufferedBytes: number
  /** Packets of any kind that one client may send within a second before its connection is closed. No limit by default. */
  maxPacketsPerSecond: number
  cors: CorsOptions | undefined
  /** How many proxies in front append to X-Forwarded-For. */
  trustedProxies: number
  /** Lower-case names of the request headers that a connection keeps. */
  keepHeaders: readonly string[]
}

export type EngineEvents<S> = {
  /** Decides on a request to open a connection; undefined accepts it. */
  admit: ((request: OpeningRequest) => Refusal | undefined) | undefined
  onOpen: (connection: Connection<S>) => void
  /** One Engine.IO message; a Buffer is a binary one and belongs to the receiver. */
  onMessage: (connection: Connection<S>, message: string | Buffer) => void
  /** The session moved from polling to a WebSocket; everything queued has been sent on it. */
  onUpgrade: (connection: Connection<S>) => void
  onClose: (connection: Connection<S>, reason: string) => void
  pollOwner: PollOwner | undefined
}

/** What the parts of one engine share. */
export type EngineState<S> = EngineSettings &
  EngineEvents<S> & {
    counters: Counters
    slowReaders: SlowReaders
    heartbeat: Heartbeat<S>
    /** The sessions on long-polling, by session ID. */
    polls: Map<string, Connection<S>>
    /** Has the polling session answer its waiting request at the end of this turn of the event loop. */
    flushSoon: (connection: Connection<S>) => void
  }
