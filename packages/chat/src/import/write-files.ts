import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import type { FileDoc } from '@parley/db/files/documents'
import { correctFile, findFiles, insertFile } from '@parley/db/files/files'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { findUsers } from '@parley/db/users/users'
import type { FileStore } from '@parley/files/file-store'
import PQueue from 'p-queue'
import { exportedPath } from '../export/exported-name.ts'
import { storedType } from '../files/create-file.ts'
import { beginStoring, keepUpload } from '../files/take-upload.ts'
import type { EarlierLines } from './earlier-lines.ts'
import { bytesOf, FileFault, hasBytes, thumbnailOf } from './file-bytes.ts'
import { importedFileId } from './known-ids.ts'

type FileLine = ImportOf<'file'>

const storedAtOnce = 8
/** How long a file waits for its messages. */
const heldMS = 7 * 24 * 60 * 60 * 1_000

export interface FilesToImport {
  db: Db
  app: string
  folder: string
  store: FileStore
  earlier: EarlierLines
  onFile: (files: number, bytes: number) => void
  /** Called for each file that cannot be stored, such as a missing one. */
  onFault: (text: string) => void
}

/**
 * Stores the files of an import. Files that are stored already stay. A file with missing or damaged bytes gets its
 * document, so that its messages can have it and a later import can store it.
 */
export class FileWriter {
  readonly #of: FilesToImport
  readonly #queue = new PQueue({ concurrency: storedAtOnce })
  readonly #done = { files: 0, bytes: 0 }

  constructor(of: FilesToImport) {
    this.#of = of
  }

  /** @param requireAlone awaited before each file */
  async write(lines: readonly FileLine[], requireAlone: () => Promise<void>): Promise<void> {
    const { db, app, earlier } = this.#of
    const here = lines.filter(({ status }) => status !== 'gone')
    if (here.length === 0) return
    const ids = here.map(({ _id }) => importedFileId(app, _id))
    const existing = new Map((await findFiles(db, app, ids, { hold: false })).map((file) => [file.id, file]))
    const owners = await findUsers(db, app, [...new Set(here.flatMap(({ owner }) => owner ?? []))])
    // A file that is not there any more was deleted.
    const isDeleted = (line: FileLine) => earlier.has(line) && !existing.has(importedFileId(app, line._id))
    const isOwned = ({ owner }: FileLine) => owner === undefined || owners.has(owner)
    const wanted = here.filter((line) => isOwned(line) && !isDeleted(line))
    const work = wanted.map((line) => async () => {
      await requireAlone()
      await this.#store(line, existing.get(importedFileId(app, line._id)))
      this.#done.bytes += line.size
      this.#of.onFile(++this.#done.files, this.#done.bytes)
    })
    try {
      await this.#queue.addAll(work)
    } catch (error) {
      this.#queue.clear()
      await this.#queue.onIdle()
      throw error
    }
  }

  async #store(line: FileLine, existing: FileDoc | undefined): Promise<void> {
    if (existing?.stored !== undefined) return
    const { db, folder, store, onFault } = this.#of
    const made = toFileDoc(this.#of.app, line)
    const { name, type, size } = made
    // The line may have been corrected since an earlier import.
    const file = existing ? { ...existing, name, type, size } : made
    await (existing ? correctFile(db, file) : insertFile(db, file))
    if (!hasBytes(line)) return
    const upload = await beginStoring({ db }, store, file)
    if (upload === undefined) return
    let fault: unknown
    const bytes = async function* () {
      try {
        yield* bytesOf(folder, line)
      } catch (error) {
        fault = error
        throw error
      }
    }
    try {
      await store.keepStream(file.id, upload, Readable.from(bytes()), file.type)
      const thumbnail = await this.#storeThumbnail(line, file.id)
      // A file of an export went through this already.
      const [isScanned, keepsMetadata] = [line.status !== 'uploaded', line.status !== undefined]
      await keepUpload({ db }, { store, isScanned, keepsMetadata, thumbnail }, file, upload)
    } catch (error) {
      const isOfFile = fault instanceof FileFault || (error instanceof ApiError && error.code === 'FILE_TYPE_MISMATCH')
      if (!isOfFile) throw fault ?? error
      await store.removeUpload(file.id, upload)
      const at = exportedPath({ id: line._id, name: line.name })
      onFault(fault instanceof FileFault ? fault.message : `${at}: ${(error as ApiError).message}`)
    }
  }

  async #storeThumbnail(line: FileLine, id: string): Promise<FileDoc['thumbnail']> {
    const bytes = await thumbnailOf(this.#of.folder, line)
    if (!bytes || !line.thumbnail) return undefined
    const stored = newId()
    await this.#of.store.keep(id, stored, bytes, 'image/webp')
    const { width, height } = line.thumbnail
    return { stored, width, height }
  }
}

function toFileDoc(app: string, { _id, owner, name, mediaType, size, createdAt, status }: FileLine): FileDoc {
  const id = importedFileId(app, _id)
  const nowMS = clock.now()
  return {
    ...{ _id: key(app, id), app, id, name, type: storedType(mediaType), size },
    ...(owner !== undefined && { owner, ownerKey: key(app, owner) }),
    secret: randomBytes(32).toString('hex'),
    ...{ createdAtMS: createdAt ?? nowMS, checkAtMS: nowMS + heldMS, heldUntilMS: nowMS + heldMS },
    ...(status === 'refused' && { stored: newId(), scan: status }),
  }
}
