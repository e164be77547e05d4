import { connect } from 'node:net'
import type { RedisOptions } from 'ioredis'

const waitMS = 500

/**
 * The first bytes that the server sends to a new connection: Redis refuses one with an error (`-ERR max number of clients
 * reached`). Empty if it closes the connection instead, or is gone: a proxy that has lost its server. Undefined if it waits
 * for bytes: MongoDB, or Redis with TLS.
 */
export function firstAnswer({ path, host = 'localhost', port = 6_379 }: RedisOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path === undefined ? { host, port } : { path })
    const end = (answer?: string) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(waitMS, () => end())
    socket.once('data', (data) => end(data.toString('latin1')))
    socket.once('end', () => end(''))
    socket.once('error', () => end(''))
  })
}
