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
  /** Timeout for the body of a post. */
  bodyTimeoutMS: number
  /** Timeout of an upgrade, from the opening of the WebSocket, which is then closed. Polling continues. */
  upgradeTimeoutMS: number
  /** The largest accepted message, in bytes; the handshake announces it to the client. */
  maxPayload: number
  /** A connection with more buffered bytes is closed as a slow reader. */
  maxBufferedBytes: number
  /** A client that sends more packets of any kind within a second is disconnected. No limit by default. */
  maxPacketsPerSecond: number
  cors: CorsOptions | undefined
  /** Number of proxies in front that append to X-Forwarded-For. */
  trustedProxies: number
  /** Optional queue for the packets of new WebSocket connections (see Connection.isNew). */
  acceptQueue: AcceptQueue | undefined
  /** Lower-case names of the request headers to keep per connection. */
  keepHeaders: readonly string[]
}
