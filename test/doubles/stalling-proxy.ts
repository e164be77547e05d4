import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a server that can be stalled: what is sent on it then arrives nowhere, and nobody learns of it. */
export interface StallingProxy {
  port: number
  stall(): void
  stop(): Promise<void>
}

export async function startStallingProxy(to: { host: string; port: number }): Promise<StallingProxy> {
  let isStalled = false
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(to)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      socket.on('error', () => undefined)
    }
    client.on('data', (bytes) => {
      if (!isStalled) upstream.write(bytes)
    })
    upstream.on('data', (bytes) => client.write(bytes))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stall: () => {
      isStalled = true
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
