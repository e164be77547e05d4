import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { apiCacheControl } from '@parley/contracts/cache-control'
import { corsAnswerHeaders } from '@parley/contracts/cors'
import { toErrorEnvelope } from '@parley/contracts/envelope'
import { ApiError } from '@parley/contracts/errors'
import { answerBrokenRequests, refusedHost } from '@parley/service/broken-request'
import { StackError } from '@parley/stack/stack-error'
import { createFrontProxy, toPath } from './front-proxy.ts'

/** The same limits as the gateways'. */
const headMS = 30_000
const maxHeaderSize = 32_768
// Like the gateways. With Node's default of 5 s, clients often send on connections that are being closed.
const keepAliveTimeout = 72_000

/** Maximum attempts of a request whose process has just died. */
const maxTries = 3

/** One origin in front of all processes, like a load balancer. */
export interface Front {
  port: number
  /**
   * Sets the loopback ports that requests go to, in turn: /socket.io/ to realtime nodes, the rest to gateways. With an empty
   * list the front responds 503.
   */
  balance(targets: { gateways: number[]; realtime: number[] }): void
  /** Sets a handler that is called before forwarding; it returns whether it handled the request. */
  serve(own: (request: IncomingMessage, response: ServerResponse) => boolean): void
  close(): Promise<void>
}

/**
 * Listens before anything else is started, to claim the port; responds 503 until there are targets.
 *
 * @param headersTimeout for the headers of a request; the processes limit the time of its body
 * @throws StackError when the port is taken
 */
export async function openFront(host: string, port: number, headersTimeout = headMS): Promise<Front> {
  let gateways = inTurn([])
  let realtime = inTurn([])
  let takeOwn: (request: IncomingMessage, response: ServerResponse) => boolean = () => false
  const targetOf = (request: IncomingMessage) => (isSocketPath(request) ? realtime : gateways).next()
  const proxy = createFrontProxy((request) => ({ host: '127.0.0.1', port: targetOf(request) }))
  const tries = new WeakMap<IncomingMessage, number>()
  proxy.on('error', (error, request, answer) => {
    if (answer instanceof ServerResponse && answer.writableFinished) return
    const count = (tries.get(request) ?? 0) + 1
    tries.set(request, count)
    const maySend = count < maxTries && isOpenTo(request) && mayRepeat(error, request)
    if (maySend && answer instanceof ServerResponse && !answer.headersSent) proxy.web(request, answer)
    else unavailable(answer)
  })

  const isOpenTo = (request: IncomingMessage) => (isSocketPath(request) ? realtime : gateways).count > 0
  const broken = answerBrokenRequests()
  const connectionsCheckingInterval = Math.min(1_000, headersTimeout)
  const bounds = { headersTimeout, requestTimeout: 0, connectionsCheckingInterval, keepAliveTimeout, maxHeaderSize }
  const server = createServer({ ...bounds, requireHostHeader: false }, (request, response) => {
    toPath(request)
    const refusal = refusedHost(request) ?? (hasForeignKey(request) ? foreignKey : undefined)
    if (refusal) return refuse(response, refusal)
    if (takeOwn(request, response)) return
    if (isOpenTo(request)) proxy.web(request, response)
    else unavailable(response)
  })
  server.on('request', broken.onRequest).on('clientError', broken.onClientError).on('connect', broken.onConnect)
  // Like the gateways.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  const upgraded = new Set<Socket>()
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!isForWebSocket(request)) {
      socket.unshift(withoutUpgrade(request, head))
      server.emit('connection', socket)
      return
    }
    toPath(request)
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    if (isOpenTo(request)) proxy.ws(request, socket, head)
    else unavailable(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `Port ${port} of ${host} is in use: stop what uses it, or choose another, as in npm start -- --port ${port + 1}`
      reject(new StackError(error.code === 'EADDRINUSE' ? taken : `Port ${port} of ${host}: ${error.message}`))
    })
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    balance(targets) {
      gateways = inTurn(targets.gateways)
      realtime = inTurn(targets.realtime)
    },
    serve(own) {
      takeOwn = own
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const socket of upgraded) socket.destroy()
      }),
  }
}

interface Turns {
  count: number
  next: () => number
}

function inTurn(ports: number[]): Turns {
  let next = 0
  return { count: ports.length, next: () => ports[next++ % ports.length] ?? 0 }
}

/** Whether a failed request can be retried at another process: only GET and HEAD, which have no body and no effect. */
function mayRepeat(error: NodeJS.ErrnoException, request: IncomingMessage): boolean {
  const isAway = error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET'
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  return isAway && isReading
}

function isSocketPath(request: IncomingMessage): boolean {
  return request.url?.startsWith('/socket.io/') ?? false
}

const foreignKey = new ApiError(
  'PERMISSION_DENIED',
  'header IM-API-KEY: the local stack accepts API keys only if Host and Origin are localhost or loopback addresses',
)
const startingOrStopping = new ApiError('SERVICE_UNAVAILABLE', 'The service is starting or stopping; try again')

function unavailable(answer: ServerResponse | Socket): void {
  if (!(answer instanceof ServerResponse)) answer.destroy()
  else if (answer.headersSent) answer.destroy()
  else refuse(answer, startingOrStopping)
}

/** The error envelope (docs/reference/README.md#conventions) of requests that reach no service. */
function refuse(response: ServerResponse, error: ApiError): void {
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'cache-control': apiCacheControl,
    ...corsAnswerHeaders,
  })
  response.end(JSON.stringify(toErrorEnvelope(error)))
  // Discard the rest of the body, so that the next request on the connection is served.
  response.req.resume()
}

/**
 * Whether a request with an API key has a foreign Origin or Host. The demo's key is public, so any website could use it from
 * the developer's browser, directly or under a host name that resolves to this machine (DNS rebinding).
 */
function hasForeignKey({ headers }: IncomingMessage): boolean {
  if (!headers['im-api-key']) return false
  const { host, origin } = headers
  return (host !== undefined && !isHere(`http://${host}`)) || (origin !== undefined && !isHere(origin))
}

/** Whether a URL's host is this machine. `null`, the origin of sandboxed pages and files, is not. */
function isHere(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return /^(?:(?:[\w-]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

function isForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

const ofUpgrade = new Set(['upgrade', 'http2-settings'])

/**
 * Serializes a request without its Upgrade header, which a server may ignore (RFC 9110, 7.8). Java's HttpClient and
 * curl --http2 offer HTTP/2 with their first request.
 */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage, head: Buffer): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2)
    if (ofUpgrade.has(name.toLowerCase())) continue
    const isConnection = name.toLowerCase() === 'connection'
    const kept = (token: string) => !ofUpgrade.has(token.trim().toLowerCase())
    lines.push(`${name}: ${isConnection ? value.split(',').filter(kept).join(',') : value}`)
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head])
}
