import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'

export interface HangingProxy {
  url: string
  /** Nothing passes any more, unnoticed by both sides. */
  hang(): void
  /** Nothing is read of the server any more, so that its buffers fill. */
  fillUp(): void
  stop(): Promise<void>
}

/** A proxy in front of a node, for half-open connections. */
export async function openHanging(node: { url: string }): Promise<HangingProxy> {
  let hangs = false
  const readers: { pause(): unknown }[] = []
  const proxy = await openTcpProxy({ host: '127.0.0.1', port: Number(new URL(node.url).port) }, (client, upstream) => {
    closeTogether(client, upstream)
    client.on('data', (bytes) => hangs || upstream.write(bytes))
    upstream.on('data', (bytes) => hangs || client.write(bytes))
    readers.push(upstream)
  })
  const hang = () => {
    hangs = true
  }
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    hang,
    fillUp() {
      hang()
      for (const reader of readers) reader.pause()
    },
    stop: () => proxy.close(),
  }
}
