import {
  type DirectoryCall,
  type Directory as DirectoryValue,
  directory,
  directoryAnswer,
  directoryKey,
} from '@parley/contracts/resources/directory'
import { type AppHooks, createAppHooks, type HookParts } from '../integrations/app-hooks.ts'

/** The directory settings of apps (docs/reference/users.md#find-users): findable users, and apps' own servers. */
export type Directory = AppHooks<DirectoryValue, DirectoryCall, string[]>

export function createDirectory(parts: HookParts): Directory {
  return createAppHooks(
    parts,
    directoryKey,
    { value: (json) => directory.safeParse(json).data, answer: (json) => directoryAnswer.parse(json).data },
    (fields) => parts.log.warn(fields, 'directory did not answer'),
  )
}
