import { clock } from '@parley/async/clock'
import type { FileDoc } from '@parley/db/files/documents'
import { postponeCheck, refuseFile, releaseFile } from '@parley/db/files/files'
import { contentHeaders } from '@parley/files/content-headers'
import type { FileStore } from '@parley/files/file-store'
import type { Chat } from '../chat.ts'
import { contentUrl } from './files.ts'

export interface ScannedFile {
  appID: string
  fileID: string
  name: string
  type: string
  size: number
  url: string
}

/** The service that scans files before delivery (docs/operations.md#a-scanner-for-viruses). */
export interface Scanner {
  /** @throws if there is no result */
  isClean(file: ScannedFile): Promise<boolean>
  /** Whether a file is delivered if its scan fails. */
  isOpen: boolean
  /** The gateways' address as the scanner sees it. */
  base: string
}

const againAfterMS = 10_000
/** The scanner fetches the file at once. */
const urlMS = 10 * 60 * 1_000

/** Scans an uploaded file and delivers it, refuses it, or schedules another scan. */
export async function scanFile(
  { db, log }: Pick<Chat, 'db' | 'log'>,
  { store, scanner }: { store: FileStore; scanner?: Scanner | undefined },
  file: FileDoc,
): Promise<void> {
  const { id, app } = file
  // No scanner is configured any more.
  if (!scanner) return releaseFile(db, file)
  try {
    if (await ask(scanner, store, file)) return await releaseFile(db, file)
    await refuseFile(db, file)
    log.warn({ app, file: id }, 'file refused by the scanner')
  } catch (error) {
    log.warn({ err: error, app, file: id }, 'file not scanned; trying again')
    if (scanner.isOpen) await releaseFile(db, file)
    else await postponeCheck(db, file, clock.now() + againAfterMS)
  }
}

async function ask(scanner: Scanner, store: FileStore, file: FileDoc): Promise<boolean> {
  const { app, id, name, type, size, stored = '' } = file
  const saved = { base: scanner.base, file, use: 'save' as const, name: stored }
  const url = await contentUrl(store, saved, contentHeaders(file, true), clock.now() + urlMS)
  return scanner.isClean({ appID: app, fileID: id, name, type, size, url })
}
