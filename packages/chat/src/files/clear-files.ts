import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import { findAttachedIn } from '@parley/db/files/attached'
import type { FileDoc, FilesToClearDoc } from '@parley/db/files/documents'
import { lookAtAgain, lookAtFiles, takeFileToLookAt, unsentMS } from '@parley/db/files/files'
import { clearAgain, removeFile, removeToClear, takeToClear, uploadWithinMS } from '@parley/db/files/files-to-clear'
import { key } from '@parley/db/keys'
import { isScheduled } from '@parley/db/messages/scheduled'
import { flushApp, flushRooms } from '@parley/db/room-buffer/flush'
import { findUser } from '@parley/db/users/users'
import { type FileStore, StoreFull, UploadRemoved, WrongSize } from '@parley/files/file-store'
import type { MakeThumbnail } from '@parley/files/thumbnails'
import type { Chat } from '../chat.ts'
import type { Duty } from '../upkeep/keep-up.ts'
import { addThumbnail, createPictureTurns } from './add-thumbnail.ts'
import { hasLivingUse } from './living-uses.ts'
import { type Scanner, scanFile } from './scan-file.ts'

/** The parts of the chat that the upkeep of files needs. */
export type FileKeeping = Pick<Chat, 'db' | 'log'>
interface Kept {
  store: FileStore
  scanner?: Scanner | undefined
}
/** The parts that thumbnails need. */
interface Pictures {
  store: FileStore
  makeThumbnail: MakeThumbnail
}

/** A file whose release was not recorded is found this late. */
const lookAgainMS = 7 * 24 * 60 * 60 * 1_000
/** Backoff of a picture while its store is away. */
const shortestPauseMS = 10_000
const longestPauseMS = 60 * 60 * 1_000
/** Allows for a slow scanner. */
const scansAtOnce = 4

/**
 * Scans files, makes thumbnails, and removes unreferenced files, from the store too. Any number of processes may run this;
 * another one redoes the unfinished work of a dead one.
 */
export function clearFiles(chat: FileKeeping, files: Kept & Pictures): Duty[] {
  const each = (kind: 'files' | 'filesToClear', next: () => Promise<boolean>): Duty => ({
    kinds: [kind],
    onError: (error) => chat.log.warn({ err: error }, 'files not cleared; trying again'),
    work: async (signal) => {
      while (!signal.aborted && (await next())) continue
    },
  })
  const toScan = () => lookNext(chat, files, clock.now(), 'toScan')
  const nextThumbnail = createThumbnailTurns(chat, files)
  return [
    ...Array.from({ length: scansAtOnce }, () => each('files', toScan)),
    each('files', () => lookNext(chat, files, clock.now(), 'others')),
    each('filesToClear', () => clearNext(chat, files.store, clock.now())),
    // One at a time: they take memory.
    each('files', () => nextThumbnail(clock.now())),
  ]
}

/** Checks one file of this kind that is due by that time; returns whether there was one. */
export async function lookNext(
  chat: FileKeeping,
  files: Kept,
  nowMS: number,
  which: 'toScan' | 'others',
): Promise<boolean> {
  const file = await takeFileToLookAt(chat.db, nowMS, which)
  if (file && which === 'toScan') await scanFile(chat, files, file)
  else if (file) await lookAt(chat, files.store, file, nowMS)
  return file !== null
}

/** Makes the thumbnail of one picture due by a time, users in turn; returns whether there was one. */
export function createThumbnailTurns(chat: FileKeeping, files: Pictures): (nowMS: number) => Promise<boolean> {
  const takeNext = createPictureTurns(chat.db)
  return async (nowMS) => {
    const picture = await takeNext(nowMS)
    if (picture) await lookAtPicture(chat, files, picture, nowMS)
    return picture !== null
  }
}

/** Clears one item due by that time; returns whether there was one. */
export async function clearNext(chat: FileKeeping, store: FileStore, nowMS: number): Promise<boolean> {
  const toClear = await takeToClear(chat.db, nowMS)
  if (toClear) await clearOne(chat, store, toClear, nowMS)
  return toClear !== null
}

/** While its store is away a picture waits for its thumbnail with backoff; meanwhile it goes like any other file. */
async function lookAtPicture(chat: FileKeeping, files: Pictures, file: FileDoc, nowMS: number): Promise<void> {
  if (await addThumbnail(chat, files, file)) return
  const ageMS = nowMS - file.createdAtMS
  const againMS = Math.min(Math.max(ageMS, shortestPauseMS), longestPauseMS)
  if (ageMS < unsentMS) await lookAtAgain(chat.db, file, nowMS + againMS)
  else await lookAt(chat, files.store, file, nowMS, againMS)
}

async function lookAt(
  chat: FileKeeping,
  store: FileStore,
  file: FileDoc,
  nowMS: number,
  againMS = lookAgainMS,
): Promise<void> {
  const { db } = chat
  const { app, owner, heldUntilMS = 0 } = file
  await forgetArrived(chat, store, file, nowMS)
  if (heldUntilMS > nowMS) return lookAtAgain(db, file, heldUntilMS)
  // In this order: in between, a scheduled message can be sent, which holds the file.
  const isUsed = async () => (await isScheduled(db, file)) || (await hasLivingUse(db, file))
  const hasOwner = owner === undefined || (await findUser(db, app, owner)) !== null
  if (hasOwner) {
    if (await isUsed()) return lookAtAgain(db, file, nowMS + againMS)
    // Sends older than the hold can still be in buffers.
    await flushApp(db, app)
    if (await isUsed()) return lookAtAgain(db, file, nowMS + againMS)
  }
  await removeFile(db, file)
}

/** Bytes uploaded after the accepted upload are removed. */
async function forgetArrived({ log }: FileKeeping, store: FileStore, file: FileDoc, nowMS: number): Promise<void> {
  const { app, id, stored, createdAtMS } = file
  if (store.kind !== 's3' || stored === undefined || nowMS < createdAtMS + uploadWithinMS) return
  await store.forget(id).catch((error: unknown) => {
    log.warn({ err: error, app, file: id }, 'what was uploaded after a file was taken is not removed yet; trying again')
  })
}

async function clearOne({ db }: FileKeeping, store: FileStore, one: FilesToClearDoc, nowMS: number): Promise<void> {
  const { _id, room, uploadUntilMS = 0 } = one
  if (room) {
    await flushRooms(db, [key(room.app, room.id)])
    for await (const attachments of findAttachedIn(db, room)) await lookAtFiles(db, room.app, attachments)
  } else {
    await store.remove(_id)
    if (uploadUntilMS > nowMS) return clearAgain(db, one, uploadUntilMS)
  }
  await removeToClear(db, one)
}

/** Runs work of the store. @throws ApiError for its failure */
export async function orNotKept<T>(done: Promise<T>): Promise<T> {
  try {
    return await done
  } catch (error) {
    throw notKept(error)
  }
}

/** The caller's error for a failure of the store, or of the upload. */
export function notKept(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof UploadRemoved) return new ApiError('UPLOAD_REPLACED')
  if (error instanceof StoreFull) return new ApiError('STORAGE_FULL', undefined, { cause: error })
  if (error instanceof WrongSize)
    return new ApiError(error.isTooLarge ? 'FILE_TOO_LARGE' : 'INVALID_BODY', `the body: ${error.message}`)
  if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return new ApiError('INVALID_BODY', 'the body broke off')
  return new ApiError('SERVICE_UNAVAILABLE', 'the file could not be kept: try again', { cause: error })
}
