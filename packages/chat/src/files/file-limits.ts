import { type FileLimits, fileLimits, fileLimitsKey } from '@parley/contracts/resources/file'
import type { Db } from '@parley/db/connect'
import { readConfigValue } from '../integrations/config-values.ts'
import type { Files } from './files.ts'

type Limits = Pick<Files, 'maxBytes' | 'maxBytesPerUser'>

/** The file limits of an app: its configuration, capped by the settings. */
export async function findFileLimits(db: Db, app: string, max: Limits): Promise<Limits> {
  const { maxBytes = max.maxBytes, maxBytesPerUser = Infinity } = await configured(db, app)
  return {
    maxBytes: Math.min(maxBytes, max.maxBytes),
    // In the settings 0 means no limit.
    maxBytesPerUser: Math.min(maxBytesPerUser, max.maxBytesPerUser || Infinity),
  }
}

/** Whether an app's pictures keep their metadata: location, camera and time. */
export async function keepsMetadata(db: Db, app: string): Promise<boolean> {
  return (await configured(db, app)).keepMetadata === true
}

async function configured(db: Db, app: string): Promise<FileLimits> {
  return (await readConfigValue(db, app, fileLimitsKey, fileLimits)) ?? {}
}
