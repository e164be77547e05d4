import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'

/** A proxy to NATS whose connections can be cut. */
export interface NatsProxy {
  url: string
  /** Holds all traffic, unnoticed by either side. */
  hold(): void
  /** Closes the connections and refuses new ones. */
  cut(): void
  /** Releases held traffic and admits new connections. */
  mend(): void
  close(): Promise<void>
}

export async function openNatsProxy(natsUrl: string): Promise<NatsProxy> {
  const url = new URL(natsUrl)
  let [isHeld, isCut] = [false, false]
  const proxy = await openTcpProxy(
    { host: url.hostname, port: Number(url.port) },
    (client, nats) => {
      closeTogether(client, nats)
      client.on('data', (data) => nats.write(data))
      nats.on('data', (data) => client.write(data))
      if (isHeld) for (const socket of [client, nats]) socket.pause()
    },
    () => !isCut,
  )
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  return {
    url: url.href,
    hold() {
      isHeld = true
      for (const socket of proxy.sockets) socket.pause()
    },
    cut() {
      isCut = true
      for (const socket of proxy.sockets) socket.destroy()
    },
    mend() {
      isHeld = false
      isCut = false
      for (const socket of proxy.sockets) socket.resume()
    },
    close: () => proxy.close(),
  }
}
