import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { GivenLine } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import type { Attachment, FileDoc } from '@parley/db/files/documents'
import { findFile, findFiles } from '@parley/db/files/files'
import { type FileStore, isNotStored } from '@parley/files/file-store'
import { makeFolder } from '@parley/files/make-folder'
import PQueue from 'p-queue'
import { KnownIds, messageHash } from '../import/known-ids.ts'
import { exportedPath, thumbnailPath } from './exported-name.ts'

type FileLine = Extract<GivenLine, { type: 'file' }>

const copiedAtOnce = 8
/** Begins the name of a copy that is not complete. */
const partial = '.part-'

interface Progress {
  onFile: (files: number, bytes: number) => void
  /** Called for a file without bytes in the store. */
  onFault: (text: string) => void
}

/**
 * Copies the files of an app's messages into the folder of its export, once each. A copy has its name only when it is
 * complete, so a repeated export keeps the copies of a killed one.
 */
export class ExportedFiles {
  readonly #db: Db
  readonly #store: FileStore
  readonly #app: string
  readonly #folder: string
  readonly #progress: Progress
  readonly #exported = new KnownIds()
  readonly #queue = new PQueue({ concurrency: copiedAtOnce })
  readonly #done = { files: 0, bytes: 0 }

  private constructor({ db, store, app, folder, progress }: FilesToExport) {
    this.#db = db
    this.#store = store
    this.#app = app
    this.#folder = folder
    this.#progress = progress
  }

  /** Creates the folders of the copies, and removes what a killed export has left unfinished. */
  static async begin(of: FilesToExport): Promise<ExportedFiles> {
    for (const path of [exportedPath({ id: '', name: '' }), thumbnailPath('')].map((each) => dirname(each))) {
      const folder = join(of.folder, path)
      await makeFolder(of.folder)
      await mkdir(folder, { mode: 0o700, recursive: true })
      for (const name of await readdir(folder)) if (name.startsWith(partial)) await rm(join(folder, name))
    }
    return new ExportedFiles(of)
  }

  /** Copies files that are not in the export yet. @returns their lines, and their owners */
  async linesOf(attachments: readonly Attachment[]): Promise<{ owners: string[]; lines: string[] }> {
    const fresh = attachments.filter(({ fileID }) => !this.#exported.add(messageHash(this.#app, '', fileID)))
    const ids = fresh.map(({ fileID }) => fileID)
    const found = new Map((await findFiles(this.#db, this.#app, ids, { hold: false })).map((file) => [file.id, file]))
    const lines = await this.#queue.addAll(fresh.map((one) => () => this.#lineOf(one, found.get(one.fileID))))
    return { owners: lines.flatMap(({ owner }) => owner ?? []), lines: lines.map((line) => JSON.stringify(line)) }
  }

  async #lineOf({ fileID, name, type, size }: Attachment, file: FileDoc | undefined): Promise<FileLine> {
    const gone: FileLine = { type: 'file', _id: fileID, name, mediaType: type, size, status: 'gone' }
    if (file?.stored === undefined) return gone
    const about = {
      ...{ ...gone, name: file.name, mediaType: file.type, size: file.size, owner: file.owner },
      createdAt: file.createdAtMS,
    }
    if (file.scan === 'refused') return { ...about, status: 'refused' }
    const copied = await this.#copy(file, file.stored, exportedPath(file), file.size)
    if ('fault' in copied) {
      // A file may be deleted during the export.
      if (await findFile(this.#db, this.#app, fileID)) this.#progress.onFault(`${exportedPath(file)}: ${copied.fault}`)
      return gone
    }
    this.#done.bytes += file.size
    this.#progress.onFile(++this.#done.files, this.#done.bytes)
    const { stored, width = 0, height = 0 } = file.thumbnail ?? {}
    // An import that has no thumbnail makes one.
    const small = stored !== undefined && (await this.#copy(file, stored, thumbnailPath(fileID)))
    return {
      ...{ ...about, status: file.scan === 'pending' ? 'checking' : 'uploaded', sha256: copied.sha256 },
      ...(small && 'sha256' in small && { thumbnail: { width, height, sha256: small.sha256 } }),
    }
  }

  async #copy({ id }: FileDoc, stored: string, path: string, size?: number): Promise<Copied> {
    const to = join(this.#folder, path)
    const existing = await stat(to).catch(() => undefined)
    // An upload never changes, and one with this name is complete.
    if (existing?.isFile() && existing.size === (size ?? existing.size)) {
      return { sha256: await hashOf(createReadStream(to)) }
    }
    const part = join(dirname(to), partial + id)
    let bytes: Readable
    try {
      bytes = await this.#store.read(id, stored)
    } catch (error) {
      if (isNotStored(error)) return { fault: 'the file store does not have this file' }
      throw new Error(`${path}: ${(error as Error).message}`, { cause: error })
    }
    const hash = createHash('sha256')
    const hashed = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    }
    try {
      // Exclusive: another export into the folder fails instead of mixing its bytes in.
      const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
      await pipeline(bytes, hashed, file)
      if (size !== undefined && file.bytesWritten !== size) {
        await rm(part)
        return { fault: `the file store has ${file.bytesWritten} bytes of this file, expected ${size}` }
      }
      await rename(part, to)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(part, { force: true })
      throw new Error(`${path}: ${(error as Error).message}`, { cause: error })
    }
    return { sha256: hash.digest('hex') }
  }
}

type Copied = { sha256: string } | { fault: string }

interface FilesToExport {
  db: Db
  store: FileStore
  app: string
  folder: string
  progress: Progress
}

async function hashOf(bytes: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
