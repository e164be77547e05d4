import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FailedLogins, failedLoginCode } from '@parley/chat/access/failed-logins'
import type { PageAsked } from '@parley/chat/integrations/chat-page'
import { builtPage } from '@parley/chat-page/built-page'
import { ApiError } from '@parley/contracts/errors'
import type { FastifyInstance } from 'fastify'
import type { ReleaseFiles } from './release-files.ts'
import { serveBuiltFiles } from './serve-built-files.ts'

/** Origins of integrators, such as `https://shop.example`. */
export interface ChatPageOptions {
  /** Origins besides our own that may frame the page. */
  frameAncestors: readonly string[]
  /** The origin of file uploads and downloads, if not our own. */
  files?: string | undefined
  /** Folder of the built page; default: this checkout's. */
  folder?: string
}

/**
 * Serves the hosted chat page at /chat (docs/reference/chat-page.md). Its policy allows our own files, the inline script of
 * its HTML by hash, and connections to our own addresses only.
 * @param imagesOf finds the image origins that an app allows
 * @param failedLogins counts wrong tokens and client keys in the page's URL
 */
export async function serveChatPage(
  app: FastifyInstance,
  options: ChatPageOptions,
  releaseFiles: ReleaseFiles,
  imagesOf: (asked: PageAsked) => Promise<readonly string[]>,
  failedLogins?: FailedLogins,
): Promise<void> {
  const { folder = builtPage } = options
  if (!existsSync(join(folder, 'index.html'))) return refuse(app)
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const inline = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = '']) => script)
  await app.register(async (files) => {
    files.addHook('onSend', async (_request, reply) => {
      // X-Frame-Options cannot list origins; frame-ancestors replaces it.
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
          // The page works without them, with links in place of images.
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
    // Integrators' pages load embed.js.
    serveBuiltFiles(files, { folder, prefix: '/chat/', policy, releaseFiles, forOthers: 'embed.js' })
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
    // For the URL of the service worker.
    'trusted-types parley-worker',
  ].join('; ')
}

/** Tells the page which images its policy allows. */
function withImageOrigins(html: string, images: readonly string[]): string {
  return html.replace(/(name="parley-image-origins" content=")"/, `$1${images.join(' ')}"`)
}

/** Without a built page, as in a fresh checkout, everything else works. */
function refuse(app: FastifyInstance): void {
  app.log.warn({}, 'the chat page is not built')
  app.get('/chat', () => {
    throw new ApiError('SERVICE_UNAVAILABLE', 'The chat page is not built: npm run build:page')
  })
}
