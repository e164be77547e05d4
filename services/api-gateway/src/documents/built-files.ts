import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A file of a built page. */
export interface BuiltFile {
  content: Buffer
  type: string
  etag: string
  /** By content coding, best first. */
  encoded: ReadonlyMap<string, Buffer>
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const endings = { br: '.br', gzip: '.gz' }

/** Reads the built page's files into memory, so a build that replaces the folder does not break the served HTML. */
export function readBuiltFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  const names = readdirSync(folder).filter((name) => extname(name) in types)
  return new Map(names.map((name) => [name, readBuilt(join(folder, name))]))
}

/** Reads a built file, with its compressed forms. */
export function readBuilt(path: string, type = typeOfPageFile(path)): BuiltFile {
  const content = readFileSync(path)
  const encoded = Object.entries(endings).filter(([, ending]) => existsSync(path + ending))
  return {
    content,
    type,
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    encoded: new Map(encoded.map(([coding, ending]) => [coding, readFileSync(path + ending)])),
  }
}

export const typeOfPageFile = (name: string): string => types[extname(name)] ?? 'application/octet-stream'

/** Sends a file in the best coding that the client accepts, or 304. */
export function sendBuilt(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  reply.headers({ etag: file.etag, vary: 'accept-encoding' })
  if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
  reply.type(file.type)
  const accepted = acceptedCodings(request.headers['accept-encoding'])
  for (const [coding, content] of file.encoded) {
    if (accepted.has(coding)) return reply.header('content-encoding', coding).send(content)
  }
  return reply.send(file.content)
}

/** RFC 9110, 12.5.3. */
function acceptedCodings(header: string | string[] = ''): Set<string> {
  const parts = String(header).toLowerCase().split(',')
  const refused = /;\s*q=0(?:\.0*)?\s*$/
  return new Set(parts.filter((part) => !refused.test(part)).map((part) => part.replace(/;.*/, '').trim()))
}
