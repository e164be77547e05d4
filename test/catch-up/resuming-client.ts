import { io, type Socket } from 'socket.io-client'

export interface Heard {
  event: string
  payload: unknown
}

/** The result of `auth2` with `since`. */
export interface Resumed {
  resumed?: boolean
  serverTimeMS: number
}

/** A stock client that sends `since`. */
export interface ResumingClient {
  socket: Socket
  /** The events of this connection, in order. */
  heard: Heard[]
  /** Sends `auth2`, also repeatedly; returns the whole acknowledgement. */
  login: (options?: object) => Promise<{ RC: number; RM: string; result: Resumed; error?: { code: string } }>
}

export interface ResumingOptions {
  transports?: string[]
  encoding?: 'plain' | 'base64'
}

/** Connects and chooses the encoding; the caller runs `login`. */
export async function connectResuming(
  url: string,
  token: string,
  { transports = ['websocket'], encoding = 'plain' }: ResumingOptions = {},
): Promise<ResumingClient> {
  const socket = io(url, { transports, reconnection: false, forceNew: true })
  const heard: Heard[] = []
  socket.onAny((event: string, payload: unknown) => heard.push({ event, payload: decode(payload, encoding) }))
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  if (encoding === 'base64') await socket.emitWithAck('conf', { encoding })
  // Twice as long as a node that is behind the stream delays a login (maxBehindMS), since its response says more than a timeout.
  return { socket, heard, login: (options = {}) => socket.timeout(120_000).emitWithAck('auth2', token, options) }
}

export function decode(payload: unknown, encoding: 'plain' | 'base64'): unknown {
  return encoding === 'base64' ? JSON.parse(Buffer.from(String(payload), 'base64').toString()) : payload
}
