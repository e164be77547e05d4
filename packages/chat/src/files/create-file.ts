import { randomBytes } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { createFile as operation } from '@parley/contracts/operations/files/files'
import type { NewFile } from '@parley/contracts/resources/file'
import type { FileDoc } from '@parley/db/files/documents'
import { bytesOfOwner, insertFile, unsentMS } from '@parley/db/files/files'
import { removeFile, uploadWithinMS } from '@parley/db/files/files-to-clear'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { findUser } from '@parley/db/users/users'
import type { FileStore } from '@parley/files/file-store'
import { commonType } from '@parley/files/media-types'
import { type Caller, userOf } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { unknownUser } from '../users/user-errors.ts'
import { findFileLimits } from './file-limits.ts'
import { type Files, signedUrl, toFileView, withStoreErrors } from './files.ts'

/** Direction controls (embeddings, overrides and isolates), with which `photo\u202Egpj.exe` shows as `photoexe.jpg`. */
export const directionControls = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Registers a file before its upload (docs/reference/files.md#upload).
 * @param base the gateways' address as the caller sees it
 * @throws ApiError CLIENT_NOT_FOUND, INVALID_REQUEST, FILE_TOO_LARGE, FILES_FULL, STORAGE_FULL
 */
export async function createFile(
  { db, censor }: Chat,
  files: Files,
  by: Caller,
  { name, type, size, owner: named }: Input<typeof operation>['body'],
  base: string,
): Promise<NewFile> {
  const { app } = by
  const owner = userOf(by) ?? named
  const shown = name.replace(directionControls, '')
  if (shown === '') throw new ApiError('INVALID_REQUEST', 'name: expected more than direction controls')
  if (owner !== (named ?? owner)) throw new ApiError('INVALID_REQUEST', 'owner: must be the caller')
  const { maxBytes, maxBytesPerUser: max } = await findFileLimits(db, app, files)
  if (size > maxBytes) throw new ApiError('FILE_TOO_LARGE', `size: a file may have at most ${maxBytes} bytes`)
  if (owner !== undefined && !(await findUser(db, app, owner))) throw unknownUser('owner', owner)
  if (files.store.kind === 'folder') await withStoreErrors(files.store.checkRoom(size))
  const id = newId()
  const createdAtMS = clock.now()
  const file: FileDoc = {
    ...{ _id: key(app, id), app, id, name: await censor.maskText(app, shown), type: storedType(type), size },
    ...(owner !== undefined && { owner, ownerKey: key(app, owner) }),
    secret: randomBytes(32).toString('hex'),
    ...{ createdAtMS, checkAtMS: createdAtMS + unsentMS },
  }
  await insertFile(db, file)
  // Counts this file too, so that concurrent calls cannot exceed the limit together.
  if (owner !== undefined && max < Infinity && (await bytesOfOwner(db, app, owner)) > max) {
    await removeFile(db, file)
    throw new ApiError('FILES_FULL', `size: the files of a user may have at most ${max} bytes in total`)
  }
  const expiresAtMS = createdAtMS + uploadWithinMS
  return {
    ...toFileView(file),
    url: `${base}/files/${id}`,
    upload: { method: 'PUT', ...(await uploadAt(files.store, file, base, expiresAtMS)), expiresAtMS },
  }
}

/** A media type as it is stored: lower case, by its common name, without parameters. */
export function storedType(type: string): string {
  return commonType((type.split(';')[0] ?? '').trim().toLowerCase())
}

async function uploadAt(store: FileStore, file: FileDoc, base: string, expiresAtMS: number) {
  const { id, type, size } = file
  if (store.kind === 's3') return store.uploadUrl(id, { type, size, expiresAtMS })
  return { url: signedUrl(base, file, 'put', expiresAtMS), headers: { 'content-type': type } }
}
