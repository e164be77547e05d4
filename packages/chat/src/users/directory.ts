import { ApiError } from '@parley/contracts/errors'
import {
  type DirectoryCall,
  type Directory as DirectoryValue,
  directory,
  directoryAnswer,
  directoryKey,
} from '@parley/contracts/resources/directory'
import type { Db } from '@parley/db/connect'
import { type AppHooks, createAppHooks } from '../integrations/app-hooks.ts'
import type { HookCalls, Log } from '../ports.ts'

/**
 * The directory settings of apps: which users can be found by name, and the servers that apps configure for it
 * (docs/reference/users.md#find-users).
 */
export type Directory = AppHooks<DirectoryValue, DirectoryCall, string[]>

export function createDirectory({ db, log, calls }: { db: Db; log: Log; calls: HookCalls }): Directory {
  return createAppHooks(
    { db, calls },
    directoryKey,
    { value: (json) => directory.safeParse(json).data, answer: (json) => directoryAnswer.parse(json).data },
    (fields) => log.warn(fields, 'directory did not answer'),
  )
}

/** @throws ApiError INVALID_BODY if the value is invalid; null means none */
export function checkDirectory(value: unknown): void {
  if (value === null || directory.safeParse(value).success) return
  throw new ApiError('INVALID_BODY', `${directoryKey}: expected all, sharedRooms, off or an object with a url`)
}
