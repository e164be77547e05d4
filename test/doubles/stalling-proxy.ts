import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'

/** A proxy to a server that can stall: then nothing sent to it arrives, unnoticed. */
export interface StallingProxy {
  port: number
  stall(): void
  /** Stalls the open connections; later ones work. */
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
