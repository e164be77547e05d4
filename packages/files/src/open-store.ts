import type { FileStore } from './file-store.ts'
import { checkFolder, folderStore } from './folder-store.ts'
import type { S3Settings } from './s3-client.ts'
import { checkBucket, s3Store } from './s3-store.ts'

const defaultFolder = '.parley/files'

/**
 * Opens the configured store: the bucket if set, otherwise the folder.
 * @param onUnusable called if no file can be created in the default folder, such as in a read-only container, or the
 *   bucket's store is away
 * @throws Error if only half of an access key is set, no file can be created in the folder that is set, or the store
 *   refuses the bucket or the key
 */
export async function openStore(
  settings: {
    folder?: string | undefined
    minFreeBytes?: number
    s3: Omit<S3Settings, 'bucket'> & { bucket?: string | undefined }
  },
  onUnusable: (error: unknown) => void,
): Promise<FileStore> {
  const {
    folder = defaultFolder,
    minFreeBytes,
    s3: { bucket, ...s3 },
  } = settings
  if (bucket !== undefined) {
    const store = s3Store({ bucket, ...s3 })
    await checkBucket({ bucket, ...s3 }, onUnusable)
    return store
  }
  await checkFolder(folder).catch((error: unknown) => {
    if (settings.folder !== undefined) throw error
    onUnusable(error)
  })
  return folderStore(folder, minFreeBytes)
}
