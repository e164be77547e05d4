import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A connection to NATS that can be lost. */
export interface NatsWay {
  url: string
  /** Nothing passes any more, and neither side learns of it. */
  hold(): void
  /** The connection is closed, and no other can be opened. */
  cut(): void
  /** What was held back goes on, and connections can be opened. */
  mend(): void
  close(): void
}

export async function openNatsWay(natsUrl: string): Promise<NatsWay> {
  const server = new URL(natsUrl)
  const open = new Set<Socket>()
  let [isHeld, isCut] = [false, false]
  const way = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const nats = connect(Number(server.port), server.hostname)
    for (const [from, to] of [
      [client, nats],
      [nats, client],
    ] as const) {
      open.add(from)
      from.on('data', (data) => to.write(data))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
      if (isHeld) from.pause()
    }
  })
  way.listen(0, '127.0.0.1')
  await once(way, 'listening')
  const address = way.address()
  const url = new URL(natsUrl)
  url.hostname = '127.0.0.1'
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.href,
    hold() {
      isHeld = true
      for (const socket of open) socket.pause()
    },
    cut() {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    mend() {
      isHeld = false
      isCut = false
      for (const socket of open) socket.resume()
    },
    close() {
      for (const socket of open) socket.destroy()
      way.close()
    },
  }
}
