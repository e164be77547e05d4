import { ApiError } from '@parley/contracts/errors'
import {
  type DirectoryCall,
  type Directory as DirectoryValue,
  directory,
  directoryAnswer,
  directoryKey,
} from '@parley/contracts/resources/directory'
import { type AppHooks, createAppHooks, type HookParts } from '../integrations/app-hooks.ts'

/**
 * The directory settings of apps: which users can be found by name, and the servers that apps configure for it
 * (docs/reference/users.md#find-users).
 */
export type Directory = AppHooks<DirectoryValue, DirectoryCall, string[]>

export function createDirectory(parts: HookParts): Directory {
  return createAppHooks(
    parts,
    directoryKey,
    { value: (json) => directory.safeParse(json).data, answer: (json) => directoryAnswer.parse(json).data },
    (fields) => parts.log.warn(fields, 'directory did not answer'),
  )
}

/** @throws ApiError INVALID_BODY if the value is invalid; null means none */
export function checkDirectory(value: unknown): void {
  if (value === null || directory.safeParse(value).success) return
  throw new ApiError('INVALID_BODY', `${directoryKey}: expected all, sharedRooms, off or an object with a url`)
}
