import type { Newcomers } from '../accepting/newcomers.ts'
import type { Slices } from '../accepting/slices.ts'
import type { Counters } from '../counters.ts'
import type { PollOwner } from '../polling/poll-owner.ts'
import type { SlowReaders } from '../sockets/backpressure.ts'
import type { Bridge } from '../websocket/bridge.ts'
import type { Connection } from './connection.ts'
import type { CorsOptions } from './cors.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { OpeningRequest } from './request.ts'

/** Why a request to open a connection is refused; `message` is in the JSON body beside Engine.IO's error code 4. */
export type Refusal = { status: 403 | 429 | 503; message: string; retryAfterSeconds?: number }

export type EngineSettings = {
  path: string
  /** Goes into every session ID: 1 to 32 letters, digits, _ or -. Needed when there is a pollOwner. */
  nodeId: string | undefined
  pingIntervalMS: number
  pingTimeoutMS: number
  /** How long the body of a post may take to arrive. */
  bodyTimeoutMS: number
  /** How long an upgrade may take from the WebSocket's opening on; then the WebSocket is closed, and polling goes on. */
  upgradeTimeoutMS: number
  /** The largest accepted message, in bytes; the handshake announces it to the client. */
  maxPayload: number
  /** Bytes that may wait for one slow reader before its connection is closed. */
  maxBufferedBytes: number
  /** The packets of any kind that a client may send within a second before its connection is closed. No limit by default. */
  maxPacketsPerSecond: number
  cors: CorsOptions | undefined
  /** How many proxies in front append to X-Forwarded-For. */
  trustedProxies: number
  /** The slices in which the packets of newcomers on WebSockets are handled, if any (see Connection.isNewcomer). */
  slices: Slices | undefined
  /** Lower-case names of the request headers that a connection keeps. */
  keepHeaders: readonly string[]
}

export type EngineEvents<S> = {
  /** Decides on a request to open a connection; undefined accepts it. */
  admit: ((request: OpeningRequest) => Refusal | undefined) | undefined
  onOpen: (connection: Connection<S>) => void
  /** One Engine.IO message; a Buffer is a binary one and belongs to the receiver. */
  onMessage: (connection: Connection<S>, message: string | Buffer) => void
  /**
   * The session moved from polling to a WebSocket: here (queued packets have been sent on it) or bridged by another
   * node.
   */
  onUpgrade: (connection: Connection<S>) => void
  onClose: (connection: Connection<S>, reason: string) => void
  /** A bridge was opened here, or closed. */
  onBridgeOpen: (address: string) => void
  onBridgeClose: (address: string) => void
  pollOwner: PollOwner | undefined
}

/** The shared state of an engine. */
export type EngineState<S> = EngineSettings &
  EngineEvents<S> & {
    counters: Counters
    slowReaders: SlowReaders
    newcomers: Newcomers<S>
    heartbeat: Heartbeat<S>
    /** The sessions held here, by their IDs. One on polling stays for a moment after its end, so that its client gets the close. */
    sessions: Map<string, Connection<S>>
    /** WebSockets here for sessions on other nodes. */
    bridges: Set<Bridge>
    /** The IDs of sessions of other nodes to which a post is being read here. */
    foreignPosts: Set<string>
    /** Schedules the response to the session's waiting poll for the end of this turn of the event loop. */
    flushSoon: (connection: Connection<S>) => void
  }
