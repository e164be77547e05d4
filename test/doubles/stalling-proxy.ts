import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'

/** A proxy that can stall: data to the server is then silently dropped. */
export interface StallingProxy {
  port: number
  stall(): void
  /** Stalls only the open connections. */
  stallOpen(): void
  stop(): Promise<void>
}

export async function startStallingProxy(to: { host: string; port: number }): Promise<StallingProxy> {
  let isStalled = false
  const stalled = new Set<unknown>()
  const proxy = await openTcpProxy(to, (client, upstream) => {
    closeTogether(client, upstream)
    client.on('data', (bytes) => {
      if (!isStalled && !stalled.has(client)) upstream.write(bytes)
    })
    upstream.on('data', (bytes) => client.write(bytes))
  })
  return {
    port: proxy.port,
    stall: () => {
      isStalled = true
    },
    stallOpen: () => {
      for (const socket of proxy.sockets) stalled.add(socket)
    },
    stop: () => proxy.close(),
  }
}
