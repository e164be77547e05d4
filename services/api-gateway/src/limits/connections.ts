import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { answerBrokenRequests } from '@parley/service/broken-request'

/** Room for a token of 4,096 bytes and a user ID of 128 characters, each percent-encoded, beside a filter `q`. */
const maxHeaderSize = 32 * 1024
/** A connection on which nothing moves for this long is closed: its client reads or writes too slowly. */
const idleMS = 60_000

/**
 * Bounds connections: the head of a request must arrive within `receiveMS` milliseconds, and then its body. Input that
 * is not HTTP, or too late, gets the error envelope.
 * @returns options for Fastify, a function to call with its server before it listens, one for requests whose body may
 *   take longer, and one that ends the connections without any request, which would delay a stopping server
 */
export function boundConnections(receiveMS: number) {
  const { onRequest, onClientError } = answerBrokenRequests()
  const checkEveryMS = Math.min(1_000, receiveMS)
  /** Requests with an unfinished body at the last look, and since when. */
  const receiving = new Map<IncomingMessage, number>()
  const unbounded = new WeakSet<IncomingMessage>()
  /** Connections on which no request has come yet, such as those that browsers and load balancers open in advance. */
  const silent = new Set<Socket>()
  let isStopping = false

  // Node's own limit is one for all requests of a server.
  function endLate(): void {
    const beforeMS = performance.now() - receiveMS
    for (const [request, sinceMS] of receiving) {
      const isLate = sinceMS < beforeMS && !request.complete && !unbounded.has(request)
      if (isLate) onClientError(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), request.socket)
      if (request.complete || sinceMS < beforeMS) receiving.delete(request)
    }
  }

  return {
    mayTakeLong: (request: IncomingMessage) => void unbounded.add(request),
    endSilent(): void {
      isStopping = true
      for (const socket of silent) socket.destroy()
    },
    watch(server: Server) {
      server.on('connection', (socket) => {
        if (isStopping) return void socket.destroy()
        silent.add(socket)
        socket.once('close', () => silent.delete(socket))
      })
      server.on('request', onRequest)
      server.on('request', (request) => {
        const { headers, socket } = request
        silent.delete(socket)
        if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
          receiving.set(request, performance.now())
      })
      const timer = setInterval(endLate, checkEveryMS).unref()
      server.on('close', () => clearInterval(timer))
    },
    options: {
      connectionTimeout: idleMS,
      requestTimeout: 0,
      clientErrorHandler: onClientError,
      http: {
        headersTimeout: receiveMS,
        connectionsCheckingInterval: checkEveryMS,
        maxHeaderSize,
        // Node's own refusal has no body; refused-requests.ts refuses with the envelope.
        requireHostHeader: false,
      },
    },
  }
}

const lookAgainMS = 20

/**
 * Before a server stops: from now on each response closes its connection and says so, since a client that keeps one
 * alive may send on it in the moment in which it is closed. Settles when no connection is left, or after this time.
 */
export async function letConnectionsGo(server: Server, withinMS: number): Promise<void> {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  const endMS = performance.now() + withinMS
  while ((await openConnections(server)) > 0 && performance.now() < endMS) await pause(lookAgainMS)
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}
