import type { FileStore } from './file-store.ts'
import { folderStore } from './folder-store.ts'
import type { S3Settings } from './s3-client.ts'
import { s3Store } from './s3-store.ts'

/** The store that the settings name: the bucket where there is one, else the folder. */
export function openStore({
  folder,
  s3: { bucket, ...s3 },
}: {
  folder: string
  s3: Omit<S3Settings, 'bucket'> & { bucket?: string | undefined }
}): FileStore {
  return bucket === undefined ? folderStore(folder) : s3Store({ bucket, ...s3 })
}
