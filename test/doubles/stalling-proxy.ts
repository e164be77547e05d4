import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'

/** A proxy to a server that can be stalled: what is sent to it then arrives nowhere, and nobody notices. */
export interface StallingProxy {
  port: number
  stall(): void
  stop(): Promise<void>
}

export async function startStallingProxy(to: { host: string; port: number }): Promise<StallingProxy> {
  let isStalled = false
  const proxy = await openTcpProxy(to, (client, upstream) => {
    closeTogether(client, upstream)
    client.on('data', (bytes) => {
      if (!isStalled) upstream.write(bytes)
    })
    upstream.on('data', (bytes) => client.write(bytes))
  })
  return {
    port: proxy.port,
    stall: () => {
      isStalled = true
    },
    stop: () => proxy.close(),
  }
}
