import { countThumbnailTry, type FileDoc, forgetThumbnailTries, setThumbnail } from '@parley/db/files/files'
import { newId } from '@parley/db/messages/messages'
import type { FileStore } from '@parley/files/file-store'
import { makeThumbnail } from '@parley/files/make-thumbnail'
import type { Chat } from '../chat.ts'

/** A picture that has killed so many processes gets none. */
const mostTries = 3

/**
 * Makes the thumbnail of a picture that waits for one; what cannot be read as a picture has none.
 * @returns whether it is over: not while the store is away, which is no fault of the picture
 */
export async function addThumbnail(
  { db, log }: Pick<Chat, 'db' | 'log'>,
  store: FileStore,
  file: FileDoc,
): Promise<boolean> {
  const { app, id, stored = '' } = file
  const later = (error: unknown) => {
    log.warn({ err: error, app, file: id }, 'thumbnail of a file not made yet; trying again')
  }
  const picture = await store.readAll(id, stored).catch(later)
  if (!picture) return false
  if ((await countThumbnailTry(db, file)) > mostTries) return end(undefined)
  const made = await makeThumbnail(picture).catch((error: unknown) => {
    log.warn({ err: error, app, file: id }, 'no thumbnail of a file')
  })
  if (!made) return end(undefined)
  const upload = newId()
  try {
    await store.keep(id, upload, made.bytes, 'image/webp')
  } catch (error) {
    later(error)
    await forgetThumbnailTries(db, file)
    return false
  }
  return end({ stored: upload, width: made.width, height: made.height })

  async function end(thumbnail: FileDoc['thumbnail']): Promise<true> {
    const isThere = await setThumbnail(db, file, thumbnail)
    if (!isThere && thumbnail) await store.removeUpload(id, thumbnail.stored)
    return true
  }
}
