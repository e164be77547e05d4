import type { FastifyInstance } from 'fastify'
import { readBuiltFiles, sendBuilt, typeOfPageFile } from './built-files.ts'
import type { ReleaseFiles } from './release-files.ts'

/** File names contain a digest, except for icons, embed.js and worker.js. */
const keepForever = 'public, max-age=31536000, immutable'
const revalidate = 'public, max-age=0'
const digested = /^[\w.-]+-[\w-]{8}\.(?:js|css)$/

interface ServedBuild {
  /** Folder of the built files, each also compressed (.br, .gz). */
  folder: string
  /** URL prefix, such as `/chat/`. */
  prefix: string
  /** Their Content-Security-Policy. */
  policy: string
  releaseFiles: ReleaseFiles
  /** A file that other origins may load. */
  forOthers?: string
}

/** Serves the scripts, styles and icons of a page, including those of other releases, which open pages still load. */
export function serveBuiltFiles(
  app: FastifyInstance,
  { folder, prefix, policy, releaseFiles, forOthers }: ServedBuild,
): void {
  const own = readBuiltFiles(folder)
  releaseFiles.keep(new Map([...own].flatMap(([name, { content }]) => (digested.test(name) ? [[name, content]] : []))))
  app.get<{ Params: { name: string } }>(`${prefix}:name`, async (request, reply) => {
    const { name } = request.params
    const isDigested = digested.test(name)
    const file = own.get(name)
    // For pages opened during or before a rolling update.
    const ofOthers = !file && isDigested ? await releaseFiles.find(name) : undefined
    if (!file && !ofOthers) return reply.callNotFound()
    reply.headers({ 'cache-control': isDigested ? keepForever : revalidate, 'content-security-policy': policy })
    if (name === forOthers) reply.header('cross-origin-resource-policy', 'cross-origin')
    return file ? sendBuilt(request, reply, file) : reply.type(typeOfPageFile(name)).send(Buffer.from(ofOthers ?? ''))
  })
}
