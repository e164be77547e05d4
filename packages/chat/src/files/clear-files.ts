import { clock } from '@parley/async/clock'
import { findAttachedIn } from '@parley/db/files/attached'
import type { FileDoc, FilesToClearDoc } from '@parley/db/files/documents'
import { checkFilesSoon, claimFileToCheck, postponeCheck, unsentMS } from '@parley/db/files/files'
import {
  postponeClearing,
  removeFile,
  removeToClear,
  takeToClear,
  uploadWithinMS,
} from '@parley/db/files/files-to-clear'
import { key } from '@parley/db/keys'
import { isScheduled } from '@parley/db/messages/scheduled'
import { flushApp, flushRooms } from '@parley/db/room-buffer/flush'
import { findUser } from '@parley/db/users/users'
import type { FileStore } from '@parley/files/file-store'
import type { MakeThumbnail } from '@parley/files/thumbnails'
import type { Chat } from '../chat.ts'
import { untilDone, type Worker } from '../jobs/run-workers.ts'
import { addThumbnail, createPictureTurns } from './add-thumbnail.ts'
import { hasCurrentUse } from './current-uses.ts'
import { type Scanner, scanFile } from './scan-file.ts'

type FileKeeping = Pick<Chat, 'db' | 'log'>
interface Kept {
  store: FileStore
  scanner?: Scanner | undefined
}
interface Pictures {
  store: FileStore
  makeThumbnail: MakeThumbnail
}

/** Interval between checks of a file in use, which find a release that was not recorded. */
const recheckMS = 7 * 24 * 60 * 60 * 1_000
/** Backoff for a picture while its store is away. */
const shortestPauseMS = 10_000
const longestPauseMS = 60 * 60 * 1_000
/** Concurrent scans, in case the scanner is slow. */
const scansAtOnce = 4

/** Scans files, makes thumbnails, and removes unreferenced files. Any number of processes may run this. */
export function clearFiles(chat: FileKeeping, files: Kept & Pictures): Worker[] {
  const each = (kind: 'files' | 'filesToClear', next: () => Promise<boolean>): Worker => ({
    kinds: [kind],
    onError: (error) => chat.log.warn({ err: error }, 'files not cleared; trying again'),
    work: untilDone(next),
  })
  const toScan = () => checkNext(chat, files, clock.now(), 'toScan')
  const nextThumbnail = createThumbnailTurns(chat, files)
  return [
    ...Array.from({ length: scansAtOnce }, () => each('files', toScan)),
    each('files', () => checkNext(chat, files, clock.now(), 'others')),
    each('filesToClear', () => clearNext(chat, files.store, clock.now())),
    // One at a time, since decoding takes memory.
    each('files', () => nextThumbnail(clock.now())),
  ]
}

/** Processes one file of this kind that is due. Returns whether there was one. */
export async function checkNext(
  chat: FileKeeping,
  files: Kept,
  nowMS: number,
  which: 'toScan' | 'others',
): Promise<boolean> {
  const file = await claimFileToCheck(chat.db, nowMS, which)
  if (file && which === 'toScan') await scanFile(chat, files, file)
  else if (file) await checkFile(chat, files.store, file, nowMS)
  return file !== null
}

/**
 * Returns a function that makes the thumbnail of the next due picture, users in turn. It returns whether there was one.
 */
export function createThumbnailTurns(chat: FileKeeping, files: Pictures): (nowMS: number) => Promise<boolean> {
  const takeNext = createPictureTurns(chat.db)
  return async (nowMS) => {
    const picture = await takeNext(nowMS)
    if (picture) await processPicture(chat, files, picture, nowMS)
    return picture !== null
  }
}

/** Clears one item that is due. Returns whether there was one. */
export async function clearNext(chat: FileKeeping, store: FileStore, nowMS: number): Promise<boolean> {
  const toClear = await takeToClear(chat.db, nowMS)
  if (toClear) await clearOne(chat, store, toClear, nowMS)
  return toClear !== null
}

/** Retries a thumbnail with backoff while the store is away. An unused picture is removed meanwhile. */
async function processPicture(chat: FileKeeping, files: Pictures, file: FileDoc, nowMS: number): Promise<void> {
  if (await addThumbnail(chat, files, file)) return
  const ageMS = nowMS - file.createdAtMS
  const againMS = Math.min(Math.max(ageMS, shortestPauseMS), longestPauseMS)
  if (ageMS < unsentMS) await postponeCheck(chat.db, file, nowMS + againMS)
  else await checkFile(chat, files.store, file, nowMS, againMS)
}

async function checkFile(
  chat: FileKeeping,
  store: FileStore,
  file: FileDoc,
  nowMS: number,
  againMS = recheckMS,
): Promise<void> {
  const { db } = chat
  const { app, owner, heldUntilMS = 0 } = file
  await forgetArrived(chat, store, file, nowMS)
  if (heldUntilMS > nowMS) return postponeCheck(db, file, heldUntilMS)
  // In this order: a scheduled message may be sent in between, and then uses the file.
  const isUsed = async () => (await isScheduled(db, file)) || (await hasCurrentUse(db, file))
  const hasOwner = owner === undefined || (await findUser(db, app, owner)) !== null
  if (hasOwner) {
    if (await isUsed()) return postponeCheck(db, file, nowMS + againMS)
    // Sends older than the hold may still be in room buffers.
    await flushApp(db, app)
    if (await isUsed()) return postponeCheck(db, file, nowMS + againMS)
  }
  await removeFile(db, file)
}

/** Removes bytes uploaded after the accepted upload. */
async function forgetArrived({ log }: FileKeeping, store: FileStore, file: FileDoc, nowMS: number): Promise<void> {
  const { app, id, stored, createdAtMS } = file
  if (store.kind !== 's3' || stored === undefined || nowMS < createdAtMS + uploadWithinMS) return
  await store.forget(id).catch((error: unknown) => {
    log.warn({ err: error, app, file: id }, 'bytes uploaded after a file was accepted not removed yet; trying again')
  })
}

async function clearOne({ db }: FileKeeping, store: FileStore, one: FilesToClearDoc, nowMS: number): Promise<void> {
  const { _id, room, uploadUntilMS = 0 } = one
  if (room) {
    await flushRooms(db, [key(room.app, room.id)])
    for await (const attachments of findAttachedIn(db, room)) await checkFilesSoon(db, room.app, attachments)
  } else {
    await store.remove(_id)
    if (uploadUntilMS > nowMS) return postponeClearing(db, one, uploadUntilMS)
  }
  await removeToClear(db, one)
}
