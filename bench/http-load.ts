import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Load {
  perSecond: number
  /** Milliseconds. */
  p99: number
}

/**
 * Sends HTTP requests over keep-alive connections for a time, one after the other on each. It does as little as a client
 * can (requests are bytes made before, of an answer only its status and length are read), because it shares the machine
 * with what it measures.
 * @throws when an answer is not 200
 */
export async function loadHttp(
  url: string,
  requests: readonly Buffer[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const { hostname, port } = new URL(url)
  const latencies: number[] = []
  const startMS = performance.now()
  const endMS = startMS + seconds * 1000
  await Promise.all(
    Array.from({ length: connections }, async (_, i) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      await once(socket, 'connect')
      await sendUntil(socket, requests, i * 7, endMS, latencies)
      socket.destroy()
    }),
  )
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    perSecond: (latencies.length * 1000) / (performance.now() - startMS),
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
  }
}

function sendUntil(
  socket: Socket,
  requests: readonly Buffer[],
  offset: number,
  endMS: number,
  latencies: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    let next = offset
    let sentMS = 0
    let received = Buffer.alloc(0)
    const send = () => {
      sentMS = performance.now()
      socket.write(requests[next++ % requests.length] as Buffer)
    }
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the connection was closed')))
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const head = received.indexOf('\r\n\r\n')
      if (head < 0) return
      const header = received.toString('latin1', 0, head)
      const length = Number(/content-length: (\d+)/i.exec(header)?.[1])
      if (received.length < head + 4 + length) return
      if (!header.startsWith('HTTP/1.1 200')) return reject(new Error(received.toString()))
      received = Buffer.alloc(0)
      const now = performance.now()
      latencies.push(now - sentMS)
      if (now < endMS) send()
      else resolve()
    })
    send()
  })
}
