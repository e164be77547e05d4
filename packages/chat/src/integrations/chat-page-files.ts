import { findPageFile, keepPageFiles, listPageFiles } from '@parley/db/page-files'
import type { Chat } from '../chat.ts'

/** Files of the chat page by name, shared by the gateways of all releases. */
export interface PageFiles {
  keep: (files: ReadonlyMap<string, Uint8Array>) => Promise<void>
  list: () => Promise<string[]>
  find: (name: string) => Promise<Uint8Array | undefined>
}

export function createPageFiles({ db }: Chat): PageFiles {
  return {
    keep: (files) => keepPageFiles(db, files),
    list: () => listPageFiles(db),
    find: (name) => findPageFile(db, name),
  }
}
