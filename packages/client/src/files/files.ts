import type { UserCalls } from '../calls/user-calls.ts'
import type { Attachment, NewFile } from '../generated/types.ts'
import { asParleyError, errorOf, networkError } from '../parley-error.ts'

/** A file to upload: a `File` has a name, any other Blob gets one. */
export type FileToUpload = Blob & { name?: string }

/** Dimensions that the sender may give: pixels, and seconds. */
export type UploadOptions = Pick<Attachment, 'width' | 'height' | 'duration'> & {
  name?: string
  signal?: AbortSignal
  /** Sends the bytes; by default `fetch`, which says nothing of how far it is. */
  send?: (to: { method: string; url: string; headers: Record<string, string> }, file: Blob) => Promise<void>
  /** The announcement of an earlier try of this file by this user; reused while its address is valid. */
  announced?: Announced | undefined
  /** Gets the announcement of this try, for the next one. */
  onAnnounced?: (announced: Announced) => void
}

/** A file that was announced, and where its bytes go. Until a day has passed it counts for the limit of its user. */
export type Announced = Pick<NewFile, 'fileID' | 'upload'>

/** The files of messages (docs/reference/files.md). */
export interface Files {
  /**
   * Uploads a file; the result goes into `attachments` of a message. Fails with a ParleyError, and may be tried again.
   */
  upload(file: FileToUpload, options?: UploadOptions): Promise<Attachment>
  /** Where a file's bytes are, for some minutes, without any header. */
  fileURL(fileID: string): Promise<string>
  /** Where the thumbnail of a picture is; where there is none (yet), where the picture is. */
  thumbnailURL(fileID: string): Promise<string>
}

interface Known {
  url: string
  thumbnail: string
  untilMS: number
}

/** An address that ends sooner than this is asked for anew. */
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
        // An earlier try was taken, and its response was lost.
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
