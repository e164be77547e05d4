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
