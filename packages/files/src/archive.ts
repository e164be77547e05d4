import { readdir, readFile, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { makeFolder } from './make-folder.ts'
import { writeNewFile } from './new-file.ts'
import { clientAt, type S3Settings } from './s3-client.ts'

/** Files of a backup. */
interface Archive {
  put(name: string, bytes: Uint8Array): Promise<void>
  get(name: string): Promise<Uint8Array | undefined>
  /** Removes what was put. */
  discard(): Promise<void>
}

/** The place of several backups. */
interface BackupPlace {
  /** Names of the folders in it. */
  names(): Promise<string[]>
  /** Removes a folder, beginning with the given file. */
  remove(name: string, first: string): Promise<void>
}

/** Stores files in a folder, readable by their owner only. `put` is atomic and synced to disk. */
export function folderArchive(folder: string): Archive {
  const files: string[] = []
  let isMade = false
  return {
    async put(name, bytes) {
      const file = join(folder, name)
      await makeFolder(dirname(file))
      isMade = true
      await writeNewFile(`${file}.part`, () => writeFile(`${file}.part`, bytes, { flush: true, mode: 0o600 }))
      await rename(`${file}.part`, file)
      files.push(file)
    },
    async get(name) {
      try {
        return await readFile(join(folder, name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async discard() {
      for (const file of files) await unlink(file)
      if (isMade) await rmdir(folder)
    },
  }
}

export function folderPlace(place: string): BackupPlace {
  return {
    async names() {
      const entries = await readdir(place, { withFileTypes: true })
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    },
    async remove(name, first) {
      await rm(join(place, name, first), { force: true })
      await rm(join(place, name), { recursive: true })
    },
  }
}

/** Enough for one part, which has some megabytes. */
const timeoutMS = 60_000

/** Stores files in a bucket, under the configured prefix. */
export function s3Archive(settings: S3Settings): Archive {
  const { bucket: Bucket, prefix } = settings
  const client = clientAt({ ...settings, timeoutMS }, settings.endpoint)
  const keys: string[] = []
  return {
    async put(name, bytes) {
      const Key = prefix + name
      await client.send(new PutObjectCommand({ Bucket, Key, Body: bytes }))
      keys.push(Key)
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
    async discard() {
      for (const Key of keys) await client.send(new DeleteObjectCommand({ Bucket, Key }))
    },
  }
}

/** The place under the configured prefix. */
export function s3Place(settings: S3Settings): BackupPlace {
  const { bucket: Bucket, prefix: Prefix } = settings
  const client = clientAt({ ...settings, timeoutMS }, settings.endpoint)
  return {
    async names() {
      const names: string[] = []
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix, Delimiter: '/' })) {
        for (const { Prefix: folder = '' } of page.CommonPrefixes ?? []) names.push(folder.slice(Prefix.length, -1))
      }
      return names
    },
    async remove(name, first) {
      const folder = `${Prefix}${name}/`
      await client.send(new DeleteObjectCommand({ Bucket, Key: folder + first }))
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: folder })) {
        for (const { Key } of page.Contents ?? []) await client.send(new DeleteObjectCommand({ Bucket, Key }))
      }
    },
  }
}
