import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnLoopback } from '@parley/stack/loopback'

/**
 * Serves a baseline in a forked process: responds with the JSON text that `answer` returns, sends the port over IPC, and calls `close`
 * when the parent disconnects.
 */
export function serveBaseline(answer: (request: IncomingMessage) => Promise<string>, close: () => unknown): void {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await answer(request)
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.setHeader('content-length', Buffer.byteLength(body))
    response.end(body)
  }
  const server = createServer((request, response) => void respond(request, response))
  void listenOnLoopback(server).then((port) => process.send?.(port))
  process.on('disconnect', () => {
    server.close()
    server.closeAllConnections()
    close()
  })
}
