import { Agent, createServer, type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { StackError } from '@parley/stack/stack-error'
import { createProxyServer } from 'http-proxy-3'

/** The one origin in front of all processes, as a load balancer would be. */
export interface Front {
  port: number
  /** From now on requests go to these ports of loopback, in turn: /socket.io/ to realtime nodes, the rest to gateways. */
  balance(targets: { gateways: number[]; realtime: number[] }): void
  close(): Promise<void>
}

/**
 * Listens at once, so that the port is ours before anything else is started; answers 503 until there are targets.
 *
 * @throws StackError when the port is taken
 */
export async function openFront(host: string, port: number): Promise<Front> {
  let gateways = inTurn([])
  let realtime = inTurn([])
  const proxy = createProxyServer({
    target: (request) => ({ host: '127.0.0.1', port: targetOf(request) }),
    agent: new Agent({ keepAlive: true }),
    ws: true,
    xfwd: true,
  })
  const targetOf = (request: IncomingMessage) => (isSocketPath(request) ? realtime() : gateways())
  // What a client says of its own connection is not for ours (RFC 9110, 7.6.1), which are kept.
  proxy.on('proxyReq', (request) => void request.setHeader('connection', 'keep-alive'))
  proxy.on('error', (_error, _request, answer) => unavailable(answer))

  let isOpen = false
  const server = createServer((request, response) => {
    if (isOpen) proxy.web(request, response)
    else unavailable(response)
  })
  const upgraded = new Set<Socket>()
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    if (isOpen) proxy.ws(request, socket, head)
    else unavailable(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `Port ${port} of ${host} is in use: stop what uses it, or choose another, as in npm start -- --port ${port + 1}`
      reject(error.code === 'EADDRINUSE' ? new StackError(taken) : error)
    })
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    balance(targets) {
      gateways = inTurn(targets.gateways)
      realtime = inTurn(targets.realtime)
      isOpen = true
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const socket of upgraded) socket.destroy()
      }),
  }
}

function inTurn(ports: number[]): () => number {
  let next = 0
  return () => ports[next++ % ports.length] ?? 0
}

function isSocketPath(request: IncomingMessage): boolean {
  return request.url?.startsWith('/socket.io/') ?? false
}

/** The error envelope of interface.md, from before anything of Parley has seen the request. */
function unavailable(answer: ServerResponse | Socket): void {
  const error = { code: 'SERVICE_UNAVAILABLE', message: 'The service is starting or stopping; try again' }
  if (!(answer instanceof ServerResponse)) answer.destroy()
  else if (answer.headersSent) answer.destroy()
  else {
    answer.writeHead(503, { 'content-type': 'application/json' })
    answer.end(JSON.stringify({ RC: 503, RM: error.message, error }))
  }
}
