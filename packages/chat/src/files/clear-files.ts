import { runEvery } from '@parley/async/run-every'
import { findAttachedIn } from '@parley/db/files/attached'
import { type FileDoc, lookAtAgain, lookAtFiles, takeFileToLookAt } from '@parley/db/files/files'
import {
  clearAgain,
  type FilesToClearDoc,
  removeFile,
  removeToClear,
  takeToClear,
} from '@parley/db/files/files-to-clear'
import { key } from '@parley/db/keys'
import { settleApp, settleRooms } from '@parley/db/sending/settle-tails'
import { findUser } from '@parley/db/users/users'
import type { FileStore } from '@parley/files/file-store'
import type { Chat } from '../chat.ts'
import { addThumbnail } from './add-thumbnail.ts'
import type { Files } from './files.ts'
import { hasUse, livingUses } from './living-uses.ts'
import { scanFile } from './scan-file.ts'

type Kept = Pick<Files, 'store' | 'scanner'>

const lookEveryMS = 2_000
/** Whatever nobody has noted, such as a deletion by the release before, is found so late. */
const lookAgainMS = 7 * 24 * 60 * 60 * 1_000

/**
 * Has files scanned that are to be, makes thumbnails, and removes those that nothing refers to any more, from the store too, until the signal aborts. Any number of processes may
 * run this; what one that dies has begun, another does again.
 */
export async function clearFiles(chat: Chat, files: Kept, signal: AbortSignal): Promise<void> {
  const clear = async () => {
    while (!signal.aborted && (await clearNext(chat, files, Date.now()))) continue
  }
  const onError = (error: Error) => chat.log.warn({ err: error }, 'files not cleared; trying again')
  await runEvery(lookEveryMS, clear, { onError, signal })
}

/** Does one thing that is due by that time; returns whether there was one. */
export async function clearNext(chat: Chat, files: Kept, nowMS: number): Promise<boolean> {
  const file = await takeFileToLookAt(chat.db, nowMS)
  if (file?.scan === 'pending') await scanFile(chat, files, file)
  else if (file?.wantsThumbnail && !file.scan) await addThumbnail(chat, files.store, file)
  else if (file) await lookAt(chat, file, nowMS)
  const toClear = await takeToClear(chat.db, nowMS)
  if (toClear) await clearOne(chat, files.store, toClear, nowMS)
  return file !== null || toClear !== null
}

async function lookAt({ db }: Chat, file: FileDoc, nowMS: number): Promise<void> {
  const { app, owner, heldUntilMS = 0 } = file
  if (heldUntilMS > nowMS) return lookAtAgain(db, file, heldUntilMS)
  const isUsed = () => hasUse(db, file, async (uses) => (await livingUses(db, uses)).length > 0)
  const hasOwner = owner === undefined || (await findUser(db, app, owner)) !== null
  if (hasOwner) {
    if (await isUsed()) return lookAtAgain(db, file, nowMS + lookAgainMS)
    // Sends that are older than the hold may still be in tails.
    await settleApp(db, app)
    if (await isUsed()) return lookAtAgain(db, file, nowMS + lookAgainMS)
  }
  await removeFile(db, file)
}

async function clearOne({ db }: Chat, store: FileStore, one: FilesToClearDoc, nowMS: number): Promise<void> {
  const { _id, room, uploadUntilMS = 0 } = one
  if (room) {
    await settleRooms(db, [key(room.app, room.id)])
    for await (const attachments of findAttachedIn(db, room)) await lookAtFiles(db, room.app, attachments)
  } else {
    await store.remove(_id)
    if (uploadUntilMS > nowMS) return clearAgain(db, one, uploadUntilMS)
  }
  await removeToClear(db, one)
}
