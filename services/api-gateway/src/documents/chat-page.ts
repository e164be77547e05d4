import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FailedLogins, failedLoginCode } from '@parley/chat/access/failed-logins'
import type { PageAsked } from '@parley/chat/integrations/chat-page-images'
import { builtPage } from '@parley/chat-page/built-page'
import { ApiError } from '@parley/contracts/errors'
import type { FastifyInstance } from 'fastify'
import { readBuiltFiles, sendBuilt, typeOfPageFile } from './built-files.ts'
import type { OtherFiles } from './other-files.ts'

/** Origins are those of others: `https://shop.example`. */
export interface ChatPageOptions {
  /** Origins that may frame the page, beside our own. */
  frameAncestors: readonly string[]
  /** The origin that exchanges the bytes of files, beside our own. */
  files?: string | undefined
  /** Has the built page; this checkout's by default. */
  folder?: string
}

/** Files have a digest in their name, but for the icons and embed.js. */
const keepForever = 'public, max-age=31536000, immutable'
const revalidate = 'public, max-age=0'
const digested = /^[\w.-]+-[\w-]{8}\.(?:js|css)$/

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
  const own = readBuiltFiles(folder)
  others.keep(new Map([...own].flatMap(([name, { content }]) => (digested.test(name) ? [[name, content]] : []))))
  const inline = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = '']) => script)
  await app.register(async (files) => {
    files.addHook('onSend', async (_request, reply) => {
      // It knows no list of origins; frame-ancestors stands for it.
      reply.removeHeader('x-frame-options')
    })
    const hidden = { schema: { hide: true } }
    files.get<{ Querystring: Query }>('/chat', hidden, async ({ query, ip }, reply) => {
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
    files.get<{ Params: { name: string } }>('/chat/:name', hidden, async (request, reply) => {
      const { name } = request.params
      const isDigested = digested.test(name)
      const file = own.get(name)
      // In a rolling update, and of pages that have been open since before it.
      const ofOthers = !file && isDigested ? await others.find(name) : undefined
      if (!file && !ofOthers) return reply.callNotFound()
      reply.headers({ 'cache-control': isDigested ? keepForever : revalidate, 'content-security-policy': policy })
      // Pages of integrators load embed.js.
      if (name === 'embed.js') reply.header('cross-origin-resource-policy', 'cross-origin')
      return file ? sendBuilt(request, reply, file) : reply.type(typeOfPageFile(name)).send(Buffer.from(ofOthers ?? ''))
    })
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
