import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import { builtPage } from '@parley/chat-page/built-page'
import { ApiError } from '@parley/contracts/errors'
import type { FastifyInstance } from 'fastify'

/** Origins of others that the page has to do with: `https://shop.example`. */
export interface ChatPageOrigins {
  /** Whose pages may show it in a frame, beside our own. */
  frameAncestors: readonly string[]
  /** Whose pictures it shows. */
  images: readonly string[]
}

/** Files have a digest in their name, but for the icons. */
const keepForever = 'public, max-age=31536000, immutable'

/**
 * Serves the hosted chat page at /chat (docs/reference/chat-page.md). It runs only our own files, and connects only to
 * our own addresses; nothing of it is inline.
 */
export async function serveChatPage(app: FastifyInstance, origins: ChatPageOrigins): Promise<void> {
  if (!existsSync(join(builtPage, 'index.html'))) return refuse(app)
  const html = withImageOrigins(readFileSync(join(builtPage, 'index.html'), 'utf8'), origins.images)
  const names = readdirSync(builtPage).filter((name) => /\.(?:js|css|svg)$/.test(name))
  const policy = policyOf(origins)
  await app.register(async (files) => {
    files.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', policy)
      // It knows no list of origins; frame-ancestors stands for it.
      reply.removeHeader('x-frame-options')
    })
    await files.register(staticFiles, { root: builtPage, prefix: '/chat/', serve: false, preCompressed: true })
    const hidden = { schema: { hide: true } }
    files.get('/chat', hidden, (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(html),
    )
    for (const name of names) {
      const isDigested = !name.startsWith('icon')
      files.get(`/chat/${name}`, hidden, (_request, reply) => {
        if (isDigested) reply.header('cache-control', keepForever)
        return reply.sendFile(name, { cacheControl: !isDigested })
      })
    }
  })
}

function policyOf({ frameAncestors, images }: ChatPageOrigins): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", 'data:', ...images].join(' ')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${["'self'", ...frameAncestors].join(' ')}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/** The page shows no picture that its policy would refuse. */
function withImageOrigins(html: string, images: readonly string[]): string {
  return html.replace(/(name="parley-image-origins" content=")"/, `$1${images.join(' ')}"`)
}

/** A checkout that was not started by npm has no built page: everything else is there. */
function refuse(app: FastifyInstance): void {
  app.log.warn({}, 'the chat page is not built')
  app.get('/chat', { schema: { hide: true } }, () => {
    throw new ApiError('SERVICE_UNAVAILABLE', 'The chat page is not built: npm run build:page')
  })
}
