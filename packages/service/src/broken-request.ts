import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { apiCacheControl } from '@parley/contracts/cache-control'
import { corsAnswerHeaders } from '@parley/contracts/cors'
import { toErrorEnvelope } from '@parley/contracts/envelope'
import { ApiError, type ErrorCode } from '@parley/contracts/errors'

/** How long a connection stays open after a refused request, so that the client can read the response. */
const lingerMS = 1_000

const codes: Record<string, ErrorCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BODY_TOO_LARGE',
}

/** Refuses a request without Host or with several (RFC 9112, 3.2). Node's own has no body, and takes the first. */
export function refusedHost({ httpVersion, headers, rawHeaders }: IncomingMessage): ApiError | undefined {
  if (headers.host === undefined) {
    return httpVersion === '1.1' ? new ApiError('INVALID_REQUEST', 'header Host is missing') : undefined
  }
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1 ? new ApiError('INVALID_REQUEST', 'header Host is sent more than once') : undefined
}

/**
 * Listeners for a `Server` of node:http. Responds with the error envelope to requests that Node's parser rejects or that do not
 * arrive in time, then closes the connection. A request that was answered while its body was arriving gets no second response.
 */
export function answerBrokenRequests() {
  const latest = new WeakMap<Socket, ServerResponse>()
  const ending = new WeakSet<Socket>()
  return {
    onRequest: (request: IncomingMessage, response: ServerResponse) => void latest.set(request.socket, response),
    onClientError: (error: Error & { code?: string }, socket: Socket) => {
      // Later bytes on a closing connection fail to parse as well.
      if (ending.has(socket)) return
      const response = latest.get(socket)
      const isAnswering =
        response !== undefined && (response.headersSent ? !response.req.complete : response.req.complete)
      if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy()
      ending.add(socket)
      const known = codes[error.code ?? '']
      end(socket, known ? new ApiError(known) : new ApiError('INVALID_REQUEST', 'the request is not valid HTTP'))
    },
    onConnect: (_request: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => undefined)
      end(socket, new ApiError('INVALID_REQUEST', 'no CONNECT: this is no proxy'))
    },
  }
}

function end(socket: Duplex, error: ApiError): void {
  socket.end(answerOf(error))
  setTimeout(() => socket.destroy(), lingerMS).unref()
}

function answerOf(known: ApiError): string {
  const body = JSON.stringify(toErrorEnvelope(known))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': apiCacheControl,
    ...corsAnswerHeaders,
    connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${known.status} ${STATUS_CODES[known.status]}\r\n${head.join('')}\r\n${body}`
}
