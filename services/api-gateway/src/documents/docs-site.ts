import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { ApiError } from '@parley/contracts/errors'
import { builtDocs, noncePlaceholder } from '@parley/docs-site/built-docs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type BuiltFile, readBuilt, sendBuilt, typeOfPageFile } from './built-files.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
}
/** Not below /docs. */
const atRoot = ['llms.txt', 'openapi.json', 'asyncapi.json', 'config.schema.json']
const keepForever = 'public, max-age=31536000, immutable'
/** Immutable files, named by digest or version. */
const lasting = /^(?:assets|scalar-[\d.]+)\//

const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
].join('; ')
/** Pages of docs/ never insert text as HTML. Scalar does, with our own documents, so the API reference cannot have this policy. */
const pagePolicy = `${policy}; require-trusted-types-for 'script'; trusted-types 'none'`

/** Scalar creates styles by script and uses style attributes. */
function apiPolicy(nonce: string): string {
  return policy.replace("style-src 'self'", `style-src-elem 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'`)
}

/**
 * Serves the API reference at /docs, the pages of docs/ below it, also as Markdown (`.md`), /llms.txt, and the contract: REST as
 * OpenAPI 3.1, socket events as AsyncAPI 3. All files are our own.
 */
export function serveDocsSite(app: FastifyInstance): void {
  // The local stack puts the demo's keys here (local/src/first-page.ts).
  app.get('/docs/keys.json', () => ({}))
  if (!existsSync(join(builtDocs, 'api.html'))) return refuse(app)
  const api = readFileSync(join(builtDocs, 'api.html'), 'utf8')
  const names = new Set(
    readdirSync(builtDocs, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map(({ parentPath, name }) => join(parentPath, name).slice(builtDocs.length + 1)),
  )
  const read = new Map<string, BuiltFile>()
  const send = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const file = read.get(name) ?? readBuilt(join(builtDocs, name), types[extname(name)] ?? typeOfPageFile(name))
    read.set(name, file)
    return sendBuilt(request, reply.header('content-security-policy', pagePolicy), file)
  }
  app.get('/docs', (_request, reply) => {
    const nonce = randomBytes(16).toString('base64')
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'cache-control': 'no-cache', 'content-security-policy': apiPolicy(nonce) })
      .send(api.replaceAll(noncePlaceholder, nonce))
  })
  app.get<{ Params: { '*': string } }>('/docs/*', (request, reply) => {
    const path = request.params['*'].replace(/\/$/, '')
    if (names.has(`${path}/README.html`)) return reply.redirect(`/docs/${path}/README`)
    const name = fileAt(path, names)
    if (name === undefined) return reply.callNotFound()
    return send(request, reply.header('cache-control', lasting.test(name) ? keepForever : 'no-cache'), name)
  })
  for (const name of atRoot) {
    app.get(`/${name}`, (request, reply) => send(request, reply.header('cache-control', 'no-cache'), name))
  }
}

/** The file of a path: a page, or the file itself. */
function fileAt(path: string, names: ReadonlySet<string>): string | undefined {
  return [`${path}.html`, path].find((name) => names.has(name) && name !== 'api.html')
}

/** Without built pages, as in a fresh checkout, everything else works. */
function refuse(app: FastifyInstance): void {
  app.log.warn({}, 'the pages of docs/ are not built')
  for (const path of ['/docs', '/docs/*', ...atRoot.map((name) => `/${name}`)]) {
    app.get(path, () => {
      throw new ApiError('SERVICE_UNAVAILABLE', 'The pages are not built: npm run build:page')
    })
  }
}
