import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import staticFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const page = join(import.meta.dirname, '../chat-page')
/** Nothing but our own files runs, and nothing but our own addresses is spoken to. */
const policy =
  "default-src 'self'; connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"

/**
 * Serves the hosted chat page at /chat (interface.md, "Web chat page"), with the stock client of the socket. Its query:
 * `token`, and of ours `clientKey` and `room`.
 */
export async function serveChatPage(app: FastifyInstance): Promise<void> {
  const client = join(dirname(fileURLToPath(import.meta.resolve('socket.io-client/package.json'))), 'dist')
  await app.register(async (files) => {
    files.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', policy)
    })
    await files.register(staticFiles, { root: [page, client], prefix: '/chat/', serve: false })
    const file = { schema: { hide: true } }
    files.get('/chat', file, (_request, reply) => reply.sendFile('index.html', page))
    files.get('/chat/chat.js', file, (_request, reply) => reply.sendFile('chat.js', page))
    files.get('/chat/chat.css', file, (_request, reply) => reply.sendFile('chat.css', page))
    files.get('/chat/socket.io.min.js', file, (_request, reply) => reply.sendFile('socket.io.min.js', client))
  })
}
