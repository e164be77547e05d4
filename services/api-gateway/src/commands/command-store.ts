import type { FileStore } from '@parley/files/file-store'
import { openStore } from '@parley/files/open-store'
import { explain } from '@parley/service/explain'
import { fileSettings, storeSetting } from '@parley/service/file-settings'
import { readSettings } from '@parley/service/settings'

const { folder, s3 } = fileSettings

/** Opens the file store in the environment, as the services do. @throws SettingsError if it is not usable */
export async function openCommandStore(): Promise<FileStore> {
  const settings = readSettings({ folder, s3 }, process.env)
  const fail = (error: unknown) => {
    throw error
  }
  return explain('files', [storeSetting(settings.s3)], openStore(settings, fail))
}
