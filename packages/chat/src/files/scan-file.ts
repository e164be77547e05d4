import { type FileDoc, lookAtAgain, refuseFile, releaseFile } from '@parley/db/files/files'
import { contentHeaders } from '@parley/files/content-headers'
import type { FileStore } from '@parley/files/file-store'
import type { Chat } from '../chat.ts'
import { contentUrl } from './files.ts'

/** The service that looks at files before they are given out (docs/operations.md#a-scanner-for-viruses). */
export interface Scanner {
  url: string
  /** A file that it says nothing about is given out. */
  isOpen: boolean
  /** The address of the gateways, for the scanner. */
  base: string
}

const answerWithinMS = 30_000
const againAfterMS = 10_000
/** The scanner fetches the file at once. */
const urlMS = 10 * 60 * 1_000

/** Has an uploaded file scanned, and gives it out, refuses it, or leaves it to be scanned again. */
export async function scanFile(
  { db, log }: Pick<Chat, 'db' | 'log'>,
  { store, scanner }: { store: FileStore; scanner?: Scanner | undefined },
  file: FileDoc,
): Promise<void> {
  const { id, app, stored = '' } = file
  // A setting that is taken back holds for those that wait too.
  if (!scanner) return releaseFile(db, file)
  try {
    if (await isClean(scanner, store, file)) return await releaseFile(db, file)
    await refuseFile(db, file)
    await store.removeUpload(id, stored)
    log.warn({ app, file: id }, 'file refused by the scanner')
  } catch (error) {
    log.warn({ err: error, app, file: id }, 'file not scanned; trying again')
    if (scanner.isOpen) await releaseFile(db, file)
    else await lookAtAgain(db, file, Date.now() + againAfterMS)
  }
}

async function isClean({ url, base }: Scanner, store: FileStore, file: FileDoc): Promise<boolean> {
  const { app, id, name, type, size, stored = '' } = file
  const expiresAtMS = Date.now() + urlMS
  const saved = { base, file, use: 'save' as const, name: stored }
  const at = await contentUrl(store, saved, contentHeaders(file, true), expiresAtMS)
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ appID: app, fileID: id, name, type, size, url: at }),
    signal: AbortSignal.timeout(answerWithinMS),
    redirect: 'error',
  })
  const verdict = answer.ok ? ((await answer.json()) as { clean?: unknown }) : {}
  if (typeof verdict.clean !== 'boolean')
    throw new Error(`the scanner returned ${answer.status} without clean: true or false`)
  return verdict.clean
}
