import { clearFiles } from '@parley/chat/files/clear-files'
import type { ScannedFile } from '@parley/chat/files/scan-file'
import type { Duty } from '@parley/chat/upkeep/keep-up'
import type { Db } from '@parley/db/connect'
import { openStore } from '@parley/files/open-store'
import { createThumbnails } from '@parley/files/thumbnails'
import type { fileSettings } from '@parley/service/file-settings'
import type { Logger } from '@parley/service/log'
import type { SettingsOf } from '@parley/service/settings'

/**
 * Scans files, makes thumbnails, and removes unreferenced files. Any number of instances may run at once.
 * @throws Error if a scanner is set without a base URL for the files
 */
export function lookAfterFiles(
  { askScanner, ...parts }: { db: Db; log: Logger; askScanner: (url: string, file: ScannedFile) => Promise<boolean> },
  settings: SettingsOf<typeof fileSettings>,
  signal: AbortSignal,
): Duty[] {
  const { scanUrl: url, scanOpen: isOpen, publicUrl } = settings
  if (url !== undefined && publicUrl === undefined && settings.s3.bucket === undefined) {
    throw new Error('PARLEY_FILES_SCAN_URL needs PARLEY_FILES_URL: the scanner fetches files of the folder there')
  }
  const base = publicUrl ?? ''
  const scanner =
    url === undefined ? undefined : { isClean: (file: ScannedFile) => askScanner(url, file), isOpen, base }
  const makeThumbnail = createThumbnails(signal)
  return clearFiles(parts, { store: openStore(settings), scanner, makeThumbnail })
}
