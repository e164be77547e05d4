import { Agent, type ClientRequest, type IncomingMessage } from 'node:http'
import { createProxyServer, type ProxyServer } from 'http-proxy-3'

/** Forwards requests over its own keep-alive connections. @param target picks the target of each request */
export function createFrontProxy(target: (request: IncomingMessage) => { host: string; port: number }): ProxyServer {
  const proxy = createProxyServer({
    target,
    agent: new Agent({ keepAlive: true }),
    ws: true,
    xfwd: true,
    // Forward paths unchanged. The library would throw for invalid ones and normalize others.
    toProxy: true,
  })
  proxy.before('web', 'stream', (request) => {
    // Node has already answered it, and the library emits no `proxyReq` for requests with it.
    delete request.headers.expect
    // Must run first: the library gives a DELETE body of unknown length a length of 0.
    if (!isChunked(request)) return
    delete request.headers['content-length']
    request.headers['transfer-encoding'] = 'chunked'
  })
  // Like nginx with `proxy_set_header X-Real-Port $remote_port`.
  proxy.on('proxyReqWs', (request, received) => {
    request.setHeader('x-real-port', received.socket.remotePort ?? 0)
  })
  // Do not forward a client's hop-by-hop headers (RFC 9110, 7.6.1).
  proxy.on('proxyReq', (request, received, answer) => {
    request.setHeader('connection', 'keep-alive')
    request.setHeader('x-real-port', received.socket.remotePort ?? 0)
    answer.once('finish', () => {
      if (!received.complete) readRest(received, request)
    })
  })
  // If the process dies in the middle of its response, break off ours.
  proxy.on('proxyRes', (received, _request, answer) => {
    received.once('close', () => {
      if (!received.complete) answer.destroy()
    })
  })
  return proxy
}

/** Reduces a request's target to a path. Clients that take the front for a proxy send a whole URL (RFC 9112, 3.2). */
export function toPath(request: IncomingMessage): void {
  const path = request.url?.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '') ?? ''
  request.url = path.startsWith('/') ? path : `/${path}`
}

function isChunked({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'transfer-encoding')
}

/** Discards the rest of a refused body, so that the next request on the connection is served. */
function readRest(received: IncomingMessage, passedOn: ClientRequest): void {
  received.unpipe(passedOn)
  passedOn.destroy()
  received.resume()
}
