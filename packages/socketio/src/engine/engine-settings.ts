import type { AcceptQueue } from '../accepting/accept-queue.ts'
import type { CorsOptions } from './cors.ts'

/** Why a request to open a connection is refused; `message` is in the JSON body beside Engine.IO's error code 4. */
export type Refusal = { status: 403 | 429 | 503; message: string; retryAfterSeconds?: number }

export type EngineSettings = {
  path: string
  /** Prefix of every session ID: 1 to 32 letters, digits, _ or -. Required with a pollOwner. */
  nodeId: string | undefined
  pingIntervalMS: number
  pingTimeoutMS: number
  /** How long the body of a post may take to arrive. */
  bodyTimeoutMS: number
  /** How long an upgrade may take from the WebSocket's opening; then the WebSocket is closed, and polling continues. */
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
  /** Optional queue for the packets of new WebSocket connections (see Connection.isNew). */
  acceptQueue: AcceptQueue | undefined
  /** Lower-case names of the request headers that a connection keeps. */
  keepHeaders: readonly string[]
}
