import { connect } from 'node:net'
import type { RedisOptions } from 'ioredis'

const waitMS = 500

/**
 * Whether the server closes a new connection, or is gone, before it gets any bytes: a proxy that has lost its server. Other
 * servers, such as MongoDB or Redis with TLS, first wait for bytes that they understand.
 */
export function closesAtOnce({ path, host = 'localhost', port = 6_379 }: RedisOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path === undefined ? { host, port } : { path })
    const end = (isClosed: boolean) => {
      socket.destroy()
      resolve(isClosed)
    }
    socket.setTimeout(waitMS, () => end(false))
    socket.once('data', () => end(false))
    socket.once('end', () => end(true))
    socket.once('error', () => end(true))
  })
}
