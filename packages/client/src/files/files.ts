import type { UserCalls } from '../calls/user-calls.ts'
import type { Attachment, NewFile } from '../generated/types.ts'
import { asParleyError, errorOf, networkError } from '../parley-error.ts'

/** A file to upload. A Blob without a name is called `file`. */
export type FileToUpload = Blob & { name?: string }

/** Optional metadata: `width` and `height` in pixels, `duration` in seconds. */
export type UploadOptions = Pick<Attachment, 'width' | 'height' | 'duration'> & {
  name?: string
  signal?: AbortSignal
  /** Sends the bytes. The default, `fetch`, reports no progress. */
  send?: (to: { method: string; url: string; headers: Record<string, string> }, file: Blob) => Promise<void>
  /** This user's announcement of the file in an earlier attempt, reused while its URL is valid. */
  announced?: Announced | undefined
  /** Receives this attempt's announcement, for a retry. */
  onAnnounced?: (announced: Announced) => void
}

/** An announced file and its upload URL. It counts toward the user's limit for a day. */
export type Announced = Pick<NewFile, 'fileID' | 'upload'>

/** Message files (docs/reference/files.md). */
export interface Files {
  /** Uploads a file. Put the result into `attachments` of a message. Rejects with a ParleyError, and can be retried. */
  upload(file: FileToUpload, options?: UploadOptions): Promise<Attachment>
  /** A download URL that needs no headers, valid for some minutes. */
  fileURL(fileID: string): Promise<string>
  /** The thumbnail's URL, or the file's own while there is no thumbnail. */
  thumbnailURL(fileID: string): Promise<string>
}

interface Known {
  url: string
  thumbnail: string
  untilMS: number
}

/** A URL that expires sooner than this is renewed. */
const spareMS = 60_000

export function createFiles({ createFile, markUploaded, getFile }: UserCalls): Files {
  const known = new Map<string, Known>()
  async function find(fileID: string): Promise<Known> {
    const before = known.get(fileID)
    if (before && before.untilMS > Date.now()) return before
    const { url = '', urlExpiresAtMS = 0, thumbnail } = await getFile({ id: fileID })
    const found = { url, thumbnail: thumbnail?.url ?? url, untilMS: urlExpiresAtMS - spareMS }
    known.set(fileID, found)
    return found
  }
  return {
    async upload(file, { name = file.name ?? 'file', signal, send, announced, onAnnounced, ...measures } = {}) {
      const options = signal ? { signal } : {}
      const type = file.type || 'application/octet-stream'
      const isUsable = announced && announced.upload.expiresAtMS > Date.now() + spareMS
      const here = isUsable ? announced : await createFile({ name, type, size: file.size }, options)
      const { fileID, upload } = here
      onAnnounced?.(here)
      const sending = send ? send(upload, file) : put(upload, { body: file, ...options })
      await sending.catch((error: unknown) => {
        // An earlier attempt succeeded, but its response was lost.
        if (asParleyError(error).code !== 'FILE_UPLOADED') throw error
      })
      const stored = await markUploaded({ id: fileID }, options)
      return { fileID, name: stored.name, type: stored.type, size: stored.size, ...measures }
    },
    fileURL: async (fileID) => (await find(fileID)).url,
    thumbnailURL: async (fileID) => (await find(fileID)).thumbnail,
  }
}

async function put({ url, ...to }: NewFile['upload'], rest: RequestInit): Promise<void> {
  const response = await fetch(url, { ...to, ...rest }).catch((error: unknown) => {
    throw networkError(error)
  })
  if (!response.ok) throw errorOf(response.status, await response.json().catch(() => undefined))
}
