import type { FileStore } from './file-store.ts'
import { folderStore } from './folder-store.ts'
import type { S3Settings } from './s3-client.ts'
import { s3Store } from './s3-store.ts'

/**
 * Opens the configured store: the bucket if set, otherwise the folder.
 * @throws Error if only half of an access key is set
 */
export function openStore({
  folder,
  minFreeBytes,
  s3: { bucket, ...s3 },
}: {
  folder: string
  minFreeBytes?: number
  s3: Omit<S3Settings, 'bucket'> & { bucket?: string | undefined }
}): FileStore {
  if ((s3.accessKeyId === undefined) !== (s3.secretAccessKey === undefined)) {
    const names = 'PARLEY_FILES_S3_ACCESS_KEY_ID and PARLEY_FILES_S3_SECRET_ACCESS_KEY'
    throw new Error(`${names} belong together: only one of them is set`)
  }
  return bucket === undefined ? folderStore(folder, minFreeBytes) : s3Store({ bucket, ...s3 })
}
