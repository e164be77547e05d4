import type { IncomingMessage } from 'node:http'
import send from '@fastify/send'
import { clock } from '@parley/async/clock'
import type { Chat } from '@parley/chat/chat'
import { type ContentUse, fileOfUrl, type SignedQuery, unknownFile } from '@parley/chat/files/files'
import { takeUpload } from '@parley/chat/files/take-upload'
import { countUpload, type UploadRates } from '@parley/chat/files/uploads'
import { okEnvelope } from '@parley/contracts/envelope'
import { ApiError } from '@parley/contracts/errors'
import { contentHeaders, thumbnailHeaders } from '@parley/files/content-headers'
import type { FolderStore } from '@parley/files/file-store'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { FilesHere } from './files.ts'

const signed = z.object({
  app: z.string(),
  use: z.enum(['put', 'get', 'save', 'thumbnail']),
  expires: z.coerce.number().int(),
  signature: z.string(),
})

/** Keeps scripts in files from running, wherever they are opened. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox"

/**
 * Serves uploads and downloads of files in a folder, at signed URLs. Files are streamed, never held in memory whole.
 * @param mayTakeLong exempts the body of a request from the timeout
 */
export async function serveContent(
  app: FastifyInstance,
  chat: Chat,
  { store, isScanned, uploads }: FilesHere,
  { mayTakeLong, rateLimits }: { mayTakeLong: (request: IncomingMessage) => void; rateLimits: UploadRates | undefined },
): Promise<void> {
  // Otherwise clients transfer files directly to and from the store.
  if (store.kind !== 'folder') return
  const url = '/files/:id/content'
  const fileOf = ({ params }: FastifyRequest, query: SignedQuery) =>
    fileOfUrl(chat, (params as { id: string }).id, query)

  await app.register(async (files) => {
    files.removeAllContentTypeParsers()
    // The handler reads the body.
    files.addContentTypeParser('*', (_request, _body, done) => done(null))

    const put = async (request: FastifyRequest) => {
      const { raw } = request
      const query = readQuery(request, ['put'])
      const file = await fileOf(request, query)
      if (rateLimits) countUpload(rateLimits, file)
      const given = raw.headers['content-length']
      if (given !== undefined && Number(given) > file.size) throw new ApiError('FILE_TOO_LARGE')
      mayTakeLong(raw)
      const timer = setTimeout(() => raw.destroy(), query.expires - clock.now())
      const taken = takeUpload(chat, { store, isScanned, uploads }, file, raw)
      return okEnvelope(await taken.finally(() => clearTimeout(timer)))
    }
    files.route({ method: 'PUT', url, bodyLimit: Number.MAX_SAFE_INTEGER, handler: put })

    const get = async (request: FastifyRequest, reply: FastifyReply) => {
      const query = readQuery(request, ['get', 'save', 'thumbnail'])
      return sendContent(request, reply, store, await fileOf(request, query), query.use)
    }
    files.route({ method: 'GET', url, handler: get })
  })
}

function readQuery({ query }: FastifyRequest, uses: readonly ContentUse[]): SignedQuery {
  const { data } = signed.safeParse(query)
  if (!data || !uses.includes(data.use)) throw new ApiError('FILE_URL_INVALID')
  return data
}

async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  store: FolderStore,
  file: Awaited<ReturnType<typeof fileOfUrl>>,
  use: ContentUse,
): Promise<FastifyReply> {
  const { id, stored } = file
  const name = use === 'thumbnail' ? file.thumbnail?.stored : stored
  if (name === undefined) throw unknownFile(id)
  const options = { root: store.root, contentType: false, cacheControl: false, index: false as const }
  const { statusCode, headers, stream } = await send(request.raw, store.pathOf(id, name), options)
  if (statusCode === 404) throw unknownFile(id)
  const content = use === 'thumbnail' ? thumbnailHeaders : contentHeaders(file, use === 'save')
  return reply
    .code(statusCode)
    .headers({
      ...headers,
      'content-type': content.type,
      'content-disposition': content.disposition,
      'content-security-policy': policy,
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'private, max-age=300',
    })
    .send(stream)
}
