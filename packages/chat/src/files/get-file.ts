import { clock } from '@parley/async/clock'
import type { Result } from '@parley/contracts/operation'
import type { getFile as operation } from '@parley/contracts/operations/files/files'
import type { Db } from '@parley/db/connect'
import { type FileUse, findUses, findUsesInBuffers, findUsesInRooms } from '@parley/db/files/attached'
import type { FileDoc } from '@parley/db/files/documents'
import { isExport } from '@parley/db/files/export-files'
import { findFile } from '@parley/db/files/files'
import { idsOf, key } from '@parley/db/keys'
import { findMembershipsByKey } from '@parley/db/rooms/memberships'
import { findRoomIdsOfUser } from '@parley/db/rooms/rooms-of-users'
import { contentHeaders, thumbnailHeaders } from '@parley/files/content-headers'
import type { FileStore } from '@parley/files/file-store'
import type { Caller, UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { currentUses, usesAtOnce } from './current-uses.ts'
import { type ContentUse, contentUrl, toFileView, unknownFile } from './files.ts'

const urlMS = 5 * 60 * 1_000

/**
 * A file and, once uploaded, the URL of its bytes (docs/reference/files.md#fetch).
 * @param base the gateways' address as the caller sees it
 * @throws ApiError FILE_NOT_FOUND, also for callers without access
 */
export async function getFile(
  chat: Chat,
  by: Caller,
  id: string,
  { store, base, download }: { store: FileStore; base: string; download: boolean },
): Promise<Result<typeof operation>> {
  const file = await findFile(chat.db, by.app, id)
  if (!file || isExport(file) || !(await maySee(chat, by, file))) throw unknownFile(id)
  const { stored } = file
  if (stored === undefined || file.scan) return toFileView(file)
  const expiresAtMS = clock.now() + urlMS
  const urlOf = (use: ContentUse, name: string, headers: { type: string; disposition: string }) =>
    contentUrl(store, { base, file, use, name }, headers, expiresAtMS)
  const { thumbnail } = file
  const small = thumbnail && {
    url: await urlOf('thumbnail', thumbnail.stored, thumbnailHeaders),
    width: thumbnail.width,
    height: thumbnail.height,
  }
  return {
    ...toFileView(file),
    url: await urlOf(download ? 'save' : 'get', stored, contentHeaders(file, download)),
    urlExpiresAtMS: expiresAtMS,
    ...(small && { thumbnail: small }),
  }
}

/** The file, for its owner and the integrator. @throws ApiError FILE_NOT_FOUND */
export async function ownFile({ db }: Chat, by: Caller, id: string): Promise<FileDoc> {
  const file = await findFile(db, by.app, id)
  if (!file || isExport(file) || !isOwn(by, file)) throw unknownFile(id)
  return file
}

function isOwn(by: Caller, { owner }: FileDoc): boolean {
  return by.kind === 'integrator' || by.user === owner
}

/** Checks the messages themselves, so that a deletion, a recall or a leave takes effect at once. */
async function maySee({ db }: Chat, by: Caller, file: FileDoc): Promise<boolean> {
  if (isOwn(by, file) || by.kind === 'integrator') return true
  // A message that leaves a buffer between the reads has been flushed.
  return (
    (await isAttached(db, by, file)) ||
    (await isMemberOfOne(db, by, await findUsesInBuffers(db, file))) ||
    isAttached(db, by, file)
  )
}

/** Whether the user can read a flushed message with the file. Both the file and the user may be in many rooms. */
async function isAttached(db: Db, by: UserCaller, file: FileDoc): Promise<boolean> {
  const some = await findUses(db, file, '', usesAtOnce)
  if (await isMemberOfOne(db, by, some)) return true
  if (some.length < usesAtOnce) return false
  const rooms = await findRoomIdsOfUser(db, by.app, by.user)
  for await (const uses of findUsesInRooms(db, file, rooms)) if (await isMemberOfOne(db, by, uses)) return true
  return false
}

async function isMemberOfOne(db: Db, { app, user }: UserCaller, uses: readonly FileUse[]): Promise<boolean> {
  const rooms = [...new Set(uses.map(({ room }) => room))]
  if (rooms.length === 0) return false
  const keys = rooms.map((room) => key(app, room, user))
  const memberships = await findMembershipsByKey(db, keys)
  const own = new Set(idsOf(memberships))
  const seen = uses.filter(({ room }) => own.has(key(app, room, user)))
  return (await currentUses(db, seen)).length > 0
}
