import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FailedLogins, failedLoginCode } from '@parley/chat/access/failed-logins'
import type { PageAsked } from '@parley/chat/integrations/chat-page-images'
import { builtPage } from '@parley/chat-page/built-page'
import { ApiError } from '@parley/contracts/errors'
import type { FastifyInstance } from 'fastify'
import type { OtherFiles } from './other-files.ts'
import { serveBuiltFiles } from './serve-built-files.ts'

/** Origins are those of others: `https://shop.example`. */
export interface ChatPageOptions {
  /** Origins that may frame the page, beside our own. */
  frameAncestors: readonly string[]
  /** The origin that exchanges the bytes of files, beside our own. */
  files?: string | undefined
  /** Has the built page; this checkout's by default. */
  folder?: string
}

/**
 * Serves the hosted chat page at /chat (docs/reference/chat-page.md). It runs only our own files and the one inline script
 * of its HTML, by its hash, and connects only to our own addresses.
 * @param others has the files of other releases
 * @param imagesOf finds the origins allowed for pictures on the page of an app
 * @param failedLogins counts the wrong tokens and client keys in its address
 */
export async function serveChatPage(
  app: FastifyInstance,
  options: ChatPageOptions,
  others: OtherFiles,
  imagesOf: (asked: PageAsked) => Promise<readonly string[]>,
  failedLogins?: FailedLogins,
): Promise<void> {
  const { folder = builtPage } = options
  if (!existsSync(join(folder, 'index.html'))) return refuse(app)
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const inline = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = '']) => script)
  await app.register(async (files) => {
    files.addHook('onSend', async (_request, reply) => {
      // It knows no list of origins; frame-ancestors stands for it.
      reply.removeHeader('x-frame-options')
    })
    files.get<{ Querystring: Query }>('/chat', async ({ query, ip }, reply) => {
      const asked = askedBy(query)
      const images = await imagesOf(asked).catch(async (error: unknown) => {
        if (failedLoginCode(error) !== undefined) {
          const presented = { INVALID_TOKEN: asked.token, INVALID_CLIENT_KEY: asked.clientKey }
          const judged = await failedLogins?.judge(ip, error, presented)
          if (judged !== undefined && judged !== error) throw judged
        } else {
          // Open pages keep working, with links in place of pictures.
          app.log.warn({ err: error }, 'chat page served without the pictures that its app allows')
        }
        return []
      })
      return reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('content-security-policy', policyOf(options, images, inline))
        .send(withImageOrigins(html, images))
    })
    const policy = policyOf(options, [], [])
    // Pages of integrators load embed.js.
    serveBuiltFiles(files, { folder, prefix: '/chat/', policy, others, forOthers: 'embed.js' })
  })
}

type Query = Record<string, string | string[] | undefined>

function askedBy({ token, clientKey }: Query): PageAsked {
  const one = (value: Query[string]) => (typeof value === 'string' && value !== '' ? value : undefined)
  return { token: one(token), clientKey: one(clientKey) }
}

function policyOf(
  { frameAncestors, files }: ChatPageOptions,
  images: readonly string[],
  inline: readonly string[],
): string {
  const store = files === undefined ? [] : [files]
  const hashes = inline.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...hashes].join(' ')}`,
    "style-src 'self'",
    `img-src ${["'self'", 'data:', ...store, ...images].join(' ')}`,
    `media-src ${["'self'", ...store].join(' ')}`,
    `connect-src ${["'self'", ...store].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${["'self'", ...frameAncestors].join(' ')}`,
    "require-trusted-types-for 'script'",
    // For the address of the service worker.
    'trusted-types parley-worker',
  ].join('; ')
}

/** The page shows no picture that its policy would refuse. */
function withImageOrigins(html: string, images: readonly string[]): string {
  return html.replace(/(name="parley-image-origins" content=")"/, `$1${images.join(' ')}"`)
}

/** A checkout that was not started by npm has no built page: everything else is there. */
function refuse(app: FastifyInstance): void {
  app.log.warn({}, 'the chat page is not built')
  app.get('/chat', () => {
    throw new ApiError('SERVICE_UNAVAILABLE', 'The chat page is not built: npm run build:page')
  })
}
