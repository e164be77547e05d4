import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtConsole } from '@parley/console/built-console'
import { ApiError } from '@parley/contracts/errors'
import type { FastifyInstance } from 'fastify'
import { pathOf } from './openapi-shapes.ts'
import type { ReleaseFiles } from './release-files.ts'
import { serveBuiltFiles } from './serve-built-files.ts'

/**
 * Serves the operators' console at /console. Every path below it is the same page, which shows the view of its path. Its
 * policy allows only our own files and connections to this origin.
 * @param files the origin of file uploads and downloads, if not our own
 */
export async function serveConsole(app: FastifyInstance, releaseFiles: ReleaseFiles, files?: string): Promise<void> {
  if (!existsSync(join(builtConsole, 'index.html'))) {
    app.log.warn({}, 'the console is not built')
    app.get('/console', () => {
      throw new ApiError('SERVICE_UNAVAILABLE', 'The console is not built: npm run build:console')
    })
    return
  }
  const html = readFileSync(join(builtConsole, 'index.html'), 'utf8')
  const policy = policyOf(files)
  await app.register(async (page) => {
    serveBuiltFiles(page, { folder: builtConsole, prefix: '/console/files/', policy, releaseFiles })
    for (const path of ['/console', '/console/*']) {
      page.get(path, (request, reply) =>
        reply
          .type('text/html; charset=utf-8')
          .headers({ 'cache-control': 'no-cache', 'content-security-policy': policy, 'x-frame-options': 'DENY' })
          .send(html.replaceAll('{{files}}', filesFrom(pathOf(request.originalUrl)))),
      )
    }
  })
}

/** The relative path from a console URL to its files: a proxy may serve Parley under any path. */
function filesFrom(path: string): string {
  const below = path.split('/').length - 3
  return below < 0 ? 'console/files/' : `${'../'.repeat(below)}files/`
}

function policyOf(files: string | undefined): string {
  const store = files === undefined ? [] : [files]
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", ...store].join(' ')}`,
    `media-src ${["'self'", ...store].join(' ')}`,
    "connect-src 'self'",
    // The preview of the chat page.
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
