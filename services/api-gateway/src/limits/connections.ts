import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause, setImmediate as soon } from 'node:timers/promises'
import { createSweep } from '@parley/async/sweep'
import { answerBrokenRequests } from '@parley/service/broken-request'

/** Room for a token of 4,096 bytes and a user ID of 128 characters, percent-encoded, plus a filter `q`. */
const maxHeaderSize = 32 * 1024
/** Idle connections are closed after this: their clients read or write too slowly. */
const idleMS = 60_000
/** A stopping server closes a connection without a request after this. The request of a new one may be on its way. */
const silentMS = 1_000

/**
 * Bounds connections: the headers of a request must arrive within `receiveMS` milliseconds, then its body within the same
 * time. Late input, and input that is not HTTP, gets the error envelope.
 * @returns options for Fastify, a function to call with its server before it listens, one that exempts a request's body from
 *   the limit, and one that closes connections without a request, which would delay a stopping server
 */
export function boundConnections(receiveMS: number) {
  const { onRequest, onClientError, onConnect } = answerBrokenRequests()
  // Node checks even without connections, which wakes an idle process.
  const checkEveryMS = Math.ceil(receiveMS / 10)
  /** Requests with an unfinished body at the last check, and since when. */
  const receiving = new Map<IncomingMessage, number>()
  const unbounded = new WeakSet<IncomingMessage>()
  /** Connections without a request so far, such as those that browsers and load balancers open in advance. */
  const silent = new Set<Socket>()
  let isStopping = false
  const endSilent = (socket: Socket) => setTimeout(() => void endUnused(socket), silentMS)
  const endUnused = async (socket: Socket) => {
    await readArrived()
    if (silent.has(socket)) socket.destroy()
  }
  const sweep = createSweep(checkEveryMS, endLate)

  // Node's own limit is the same for all requests.
  function endLate(): boolean {
    const beforeMS = performance.now() - receiveMS
    for (const [request, sinceMS] of receiving) {
      const isLate = sinceMS < beforeMS && !request.complete && !unbounded.has(request)
      if (isLate) onClientError(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), request.socket)
      if (request.complete || sinceMS < beforeMS) receiving.delete(request)
    }
    return receiving.size > 0
  }

  return {
    mayTakeLong: (request: IncomingMessage) => void unbounded.add(request),
    endSilent(): void {
      isStopping = true
      for (const socket of silent) endSilent(socket)
    },
    watch(server: Server) {
      server.on('connection', (socket) => {
        silent.add(socket)
        socket.once('close', () => silent.delete(socket))
        if (isStopping) endSilent(socket)
      })
      server.on('request', onRequest).on('connect', onConnect)
      // Node would answer an unknown expectation with 417 and no body (RFC 9110, 10.1.1, lets a server ignore it).
      server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
      server.on('request', (request) => {
        const { headers, socket } = request
        silent.delete(socket)
        if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
        receiving.set(request, performance.now())
        sweep.begin()
      })
      server.on('close', () => sweep.stop())
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

const recheckMS = 20

/**
 * Drains connections before a server stops: each response announces and closes its connection, since a client could send on
 * a kept-alive connection at the moment it is closed. Settles when no connection is left, or after this time, once every
 * request is read that has arrived: a busy process may not have read it yet.
 */
export async function drainConnections(server: Server, withinMS: number): Promise<void> {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  const endMS = performance.now() + withinMS
  while ((await openConnections(server)) > 0 && performance.now() < endMS) await pause(recheckMS)
  await readArrived()
}

/** Sockets are read between two immediates. */
async function readArrived(): Promise<void> {
  await soon()
  await soon()
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}
