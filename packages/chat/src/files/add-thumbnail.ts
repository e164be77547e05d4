import type { Db } from '@parley/db/connect'
import type { FileDoc } from '@parley/db/files/documents'
import { countThumbnailTry, forgetThumbnailTries, setThumbnail } from '@parley/db/files/files'
import { appWithPicture, takePicture } from '@parley/db/files/waiting-pictures'
import { newId } from '@parley/db/messages/messages'
import type { FileStore } from '@parley/files/file-store'
import { type MakeThumbnail, PictureRefused } from '@parley/files/thumbnails'
import { LRUCache } from 'lru-cache'
import type { Chat } from '../chat.ts'

/** A picture that has killed this many processes gets no thumbnail. */
const maxTries = 3

/**
 * Makes the thumbnail of a picture. A picture that cannot be decoded, or needs too much memory, gets none.
 * @returns whether it is done; false if the store is away or the process ended for another reason
 */
export async function addThumbnail(
  { db, log }: Pick<Chat, 'db' | 'log'>,
  { store, makeThumbnail }: { store: FileStore; makeThumbnail: MakeThumbnail },
  file: FileDoc,
): Promise<boolean> {
  const { app, id, stored = '' } = file
  const later = (error: unknown) => {
    log.warn({ err: error, app, file: id }, 'thumbnail of a file not made yet; trying again')
  }
  const picture = await store.readAll(id, stored).catch(later)
  if (!picture) return false
  if ((await countThumbnailTry(db, file)) > maxTries) return end(undefined)
  const made = await makeThumbnail(picture).catch((error: unknown) => error as Error)
  if (made instanceof PictureRefused) {
    log.warn({ err: made, app, file: id }, 'no thumbnail of a file')
    return end(undefined)
  }
  if (made instanceof Error) {
    later(made)
    // The service is stopping, which is not the picture's fault.
    if (made.name === 'AbortError') await forgetThumbnailTries(db, file)
    return false
  }
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
    const exists = await setThumbnail(db, file, thumbnail)
    if (!exists && thumbnail) await store.removeUpload(id, thumbnail.stored)
    return true
  }
}

const rememberedApps = 10_000

/** Claims the next picture without a thumbnail: round-robin over apps, and within an app over users. */
export function createPictureTurns(db: Db): (nowMS: number) => Promise<FileDoc | null> {
  let lastApp = ''
  const lastOwners = new LRUCache<string, string>({ max: rememberedApps })
  return async (nowMS) => {
    const app = (await appWithPicture(db, nowMS, lastApp)) ?? (await appWithPicture(db, nowMS, ''))
    if (app === undefined) return null
    lastApp = app
    const lastOwner = lastOwners.get(app)
    const next = lastOwner === undefined ? null : await takePicture(db, nowMS, app, lastOwner)
    const picture = next ?? (await takePicture(db, nowMS, app))
    // The integrator's own files have no owner, and sort first.
    if (picture) lastOwners.set(app, picture.ownerKey ?? '')
    return picture
  }
}
