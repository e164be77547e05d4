import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GetObjectCommand, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3'
import { clientAt, type S3Settings } from './s3-client.ts'

/** Files of a backup. */
interface Archive {
  put(name: string, bytes: Uint8Array): Promise<void>
  get(name: string): Promise<Uint8Array | undefined>
}

/** Keeps files in a folder; one is on the disk when `put` settles, or not there. */
export function folderArchive(folder: string): Archive {
  return {
    async put(name, bytes) {
      const file = join(folder, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(`${file}.part`, bytes, { flush: true })
      await rename(`${file}.part`, file)
    },
    async get(name) {
      try {
        return await readFile(join(folder, name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
  }
}

/** A part is some megabytes. */
const timeoutMS = 60_000

/** Keeps files in a bucket, under the prefix of the settings. */
export function s3Archive(settings: S3Settings): Archive {
  const { bucket: Bucket, prefix } = settings
  const client = clientAt({ ...settings, timeoutMS }, settings.endpoint)
  return {
    async put(name, bytes) {
      await client.send(new PutObjectCommand({ Bucket, Key: prefix + name, Body: bytes }))
    },
    async get(name) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: prefix + name }))
        return await Body?.transformToByteArray()
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined
        throw error
      }
    },
  }
}
