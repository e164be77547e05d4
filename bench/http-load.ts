import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { quantile } from './quantile.ts'

export interface Load {
  perSecond: number
  /** Milliseconds. */
  p99: number
}

/** Serializes a request, with a JSON body if given. */
export function httpRequest(method: string, path: string, headers: Record<string, string>, body?: object): Buffer {
  const json = body ? JSON.stringify(body) : ''
  const lines = [`${method} ${path} HTTP/1.1`, 'host: bench', `content-length: ${Buffer.byteLength(json)}`]
  if (body) lines.push('content-type: application/json')
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${json}`)
}

/**
 * Sends HTTP requests for a time over keep-alive connections, sequentially on each. Sends prepared bytes and reads only
 * status and length, because it shares the machine with the server.
 * @param requests used in rotation, or a function of the request's number if each must be unique
 * @param pace requests per second over all connections; by default each is sent when the previous one is answered
 * @throws when a response is not 200
 */
export async function loadHttp(
  url: string,
  requests: readonly Buffer[] | ((number: number) => Buffer),
  { connections, seconds, pace }: { connections: number; seconds: number; pace?: number },
): Promise<Load> {
  const { hostname, port } = new URL(url)
  const latencies: number[] = []
  let made = 0
  const startMS = performance.now()
  const endMS = startMS + seconds * 1000
  await Promise.all(
    Array.from({ length: connections }, async (_, i) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      await once(socket, 'connect')
      let next = i * 7
      const nextRequest = () =>
        typeof requests === 'function' ? requests(made++) : (requests[next++ % requests.length] as Buffer)
      await sendUntil(
        socket,
        nextRequest,
        { endMS, everyMS: pace === undefined ? 0 : (1000 * connections) / pace },
        latencies,
      )
      socket.destroy()
    }),
  )
  return {
    perSecond: (latencies.length * 1000) / (performance.now() - startMS),
    p99: quantile(latencies, 0.99),
  }
}

function sendUntil(
  socket: Socket,
  nextRequest: () => Buffer,
  { endMS, everyMS }: { endMS: number; everyMS: number },
  latencies: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentMS = 0
    let dueMS = performance.now() + Math.random() * everyMS
    let received = Buffer.alloc(0)
    const send = () => {
      sentMS = performance.now()
      socket.write(nextRequest())
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
      dueMS += everyMS
      if (now >= endMS) resolve()
      else if (dueMS > now) setTimeout(send, dueMS - now)
      else send()
    })
    setTimeout(send, everyMS > 0 ? dueMS - performance.now() : 0)
  })
}
