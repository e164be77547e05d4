import type { UserCalls } from '../calls/user-calls.ts'
import type { Attachment } from '../generated/types.ts'
import { errorOf, networkError } from '../parley-error.ts'

/** A file to upload: a `File` has a name, any other Blob gets one. */
export type FileToUpload = Blob & { name?: string }

/** What the sender may say of it: pixels, and seconds. */
export type UploadOptions = Pick<Attachment, 'width' | 'height' | 'duration'> & { name?: string; signal?: AbortSignal }

/** The files of messages (docs/reference/files.md). */
export interface Files {
  /** Uploads a file; what it returns goes into `attachments` of a message. Fails with a ParleyError, and may be tried again. */
  upload(file: FileToUpload, options?: UploadOptions): Promise<Attachment>
  /** Where a file's bytes are, for some minutes, without any header. */
  fileURL(fileID: string): Promise<string>
}

/** An address that ends sooner than this is asked for anew. */
const spareMS = 60_000

export function createFiles({ createFile, markUploaded, getFile }: UserCalls): Files {
  const known = new Map<string, { url: string; untilMS: number }>()
  return {
    async upload(file, { name = file.name ?? 'file', signal, ...measures } = {}) {
      const options = signal ? { signal } : {}
      const type = file.type || 'application/octet-stream'
      const { fileID, upload } = await createFile({ name, type, size: file.size }, options)
      const { method, headers, url } = upload
      const response = await fetch(url, { method, headers, body: file, ...options }).catch((error: unknown) => {
        throw networkError(error)
      })
      if (!response.ok) throw errorOf(response.status, await response.json().catch(() => undefined))
      const stored = await markUploaded({ id: fileID }, options)
      return { fileID, name: stored.name, type: stored.type, size: stored.size, ...measures }
    },
    async fileURL(fileID) {
      const before = known.get(fileID)
      if (before && before.untilMS > Date.now()) return before.url
      const { url = '', urlExpiresAtMS = 0 } = await getFile({ id: fileID })
      known.set(fileID, { url, untilMS: urlExpiresAtMS - spareMS })
      return url
    },
  }
}
