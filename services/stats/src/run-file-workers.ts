import { clearFiles } from '@parley/chat/files/clear-files'
import type { ScannedFile } from '@parley/chat/files/scan-file'
import type { Worker } from '@parley/chat/jobs/run-workers'
import type { Db } from '@parley/db/connect'
import { openStore } from '@parley/files/open-store'
import { createThumbnails } from '@parley/files/thumbnails'
import { explain } from '@parley/service/explain'
import { type fileSettings, noFiles, storeSetting } from '@parley/service/file-settings'
import type { Logger } from '@parley/service/log'
import { SettingsError, type SettingsOf } from '@parley/service/settings'

/**
 * Scans files, makes thumbnails, and removes unreferenced files. Any number of instances may run at once.
 * @throws SettingsError if a scanner is set without a base URL for the files, or the folder for files is not usable
 */
export async function runFileWorkers(
  { askScanner, ...parts }: { db: Db; log: Logger; askScanner: (url: string, file: ScannedFile) => Promise<boolean> },
  settings: SettingsOf<typeof fileSettings>,
  signal: AbortSignal,
): Promise<Worker[]> {
  const { scanUrl: url, scanOpen: isOpen, publicUrl } = settings
  if (url !== undefined && publicUrl === undefined && settings.s3.bucket === undefined) {
    throw new SettingsError(
      'PARLEY_FILES_SCAN_URL needs PARLEY_FILES_URL: the scanner fetches files of the folder there',
    )
  }
  const base = publicUrl ?? ''
  const scanner =
    url === undefined ? undefined : { isClean: (file: ScannedFile) => askScanner(url, file), isOpen, base }
  const makeThumbnail = createThumbnails(signal)
  const store = await explain(
    'files',
    [storeSetting(settings.s3)],
    openStore(settings, noFiles(parts.log, settings.s3)),
  )
  return clearFiles(parts, { store, scanner, makeThumbnail })
}
