import { countThumbnailTry, type FileDoc, setThumbnail } from '@parley/db/files/files'
import { newId } from '@parley/db/messages/messages'
import type { FileStore } from '@parley/files/file-store'
import { makeThumbnail } from '@parley/files/make-thumbnail'
import type { Chat } from '../chat.ts'

/** A picture that has killed so many processes gets none. */
const mostTries = 3

/** Makes the thumbnail of a picture that waits for one; what cannot be read has none. */
export async function addThumbnail(
  { db, log }: Pick<Chat, 'db' | 'log'>,
  store: FileStore,
  file: FileDoc,
): Promise<void> {
  const { app, id, stored = '' } = file
  if ((await countThumbnailTry(db, file)) > mostTries) return setThumbnail(db, file, undefined)
  const picture = await store.readAll(id, stored)
  const made = await makeThumbnail(picture).catch((error: unknown) => {
    log.warn({ err: error, app, file: id }, 'no thumbnail of a file')
  })
  if (!made) return setThumbnail(db, file, undefined)
  const upload = newId()
  await store.keep(id, upload, made.bytes, 'image/webp')
  await setThumbnail(db, file, { stored: upload, width: made.width, height: made.height })
}
