import { PassThrough, pipeline, type Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NotFound,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { clock } from '@parley/async/clock'
import { NotUploaded, type S3Store, WrongSize } from './file-store.ts'
import { shownBytes } from './media-types.ts'
import { clientAt, type S3Settings } from './s3-client.ts'

/** Two attempts take less than the 60 s lease of work on files. */
const defaultTimeoutMS = 20_000
/** A start waits for two attempts. */
const checkTimeoutMS = 3_000
const tooManyRequests = 429
/** Some stores respond only once a large file is copied. */
const copyTimeouts = 6

/** Stores files in a bucket of an S3-compatible store. Clients upload and download directly. */
export function s3Store(settings: S3Settings): S3Store {
  const { bucket: Bucket, prefix, timeoutMS = defaultTimeoutMS } = settings
  const client = clientAt({ ...settings, timeoutMS }, settings.endpoint)
  const copier = clientAt({ ...settings, timeoutMS: copyTimeouts * timeoutMS }, settings.endpoint)
  const outside = clientAt(settings, settings.publicEndpoint ?? settings.endpoint)
  const keyOf = (id: string, upload: string) => `${prefix}${id}/${upload}`
  /** The key that clients can write to while their URL is valid. */
  const arriving = (id: string) => keyOf(id, 'arriving')
  const removeKey = (Key: string) => client.send(new DeleteObjectCommand({ Bucket, Key }))
  const sizeOf = async (Key: string) => (await client.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength

  return {
    kind: 's3',
    origin: originOf(settings, outside),
    async uploadUrl(id, { type, size, expiresAtMS }) {
      const put = new PutObjectCommand({ Bucket, Key: arriving(id), ContentType: type, ContentLength: size })
      const signableHeaders = new Set(['host', 'content-type', 'content-length'])
      const url = await getSignedUrl(outside, put, { expiresIn: secondsUntil(expiresAtMS), signableHeaders })
      return { url, headers: { 'content-type': type } }
    },
    async take(id, upload, size) {
      await sizeOf(arriving(id)).catch((error: unknown) => {
        throw error instanceof NotFound ? new NotUploaded() : error
      })
      // Copy, since clients can still write to the original.
      const CopySource = encodeURI(`${Bucket}/${arriving(id)}`)
      await copier.send(new CopyObjectCommand({ Bucket, Key: keyOf(id, upload), CopySource }))
      const storedSize = (await sizeOf(keyOf(id, upload))) ?? 0
      if (storedSize === size) return
      await removeKey(keyOf(id, upload))
      await removeKey(arriving(id))
      throw new WrongSize(size, storedSize > size)
    },
    async forget(id) {
      await removeKey(arriving(id))
    },
    downloadUrl(id, upload, { type, disposition, expiresAtMS }) {
      const get = new GetObjectCommand({
        Bucket,
        Key: keyOf(id, upload),
        ResponseContentType: type,
        ResponseContentDisposition: disposition,
        ResponseCacheControl: 'private, max-age=300',
      })
      return getSignedUrl(outside, get, { expiresIn: secondsUntil(expiresAtMS) })
    },
    async firstBytes(id, upload) {
      const Range = `bytes=0-${shownBytes - 1}`
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(id, upload), Range }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
    async readAll(id, upload) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(id, upload) }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
    async read(id, upload) {
      const { Body } = await copier.send(new GetObjectCommand({ Bucket, Key: keyOf(id, upload) }))
      return Body as Readable
    },
    keepStream: (id, name, bytes, type) =>
      uploadStream(copier, { Bucket, Key: keyOf(id, name), ContentType: type }, bytes),
    async keep(id, name, Body, ContentType) {
      await client.send(new PutObjectCommand({ Bucket, Key: keyOf(id, name), Body, ContentType }))
    },
    async removeUpload(id, upload) {
      await removeKey(keyOf(id, upload))
    },
    async remove(id) {
      for (let ContinuationToken: string | undefined, isLast = false; !isLast; ) {
        const list = new ListObjectsV2Command({ Bucket, Prefix: keyOf(id, ''), ContinuationToken })
        const { Contents = [], NextContinuationToken } = await client.send(list)
        for (const { Key } of Contents) if (Key !== undefined) await removeKey(Key)
        ContinuationToken = NextContinuationToken
        isLast = NextContinuationToken === undefined
      }
    },
  }
}

/**
 * Lists the bucket, which a wrong name, region, key or permission fails.
 * @param onAway called if the store does not answer, or has a fault of its own
 * @throws Error if the store refuses the request
 */
export async function checkBucket(settings: S3Settings, onAway: (error: unknown) => void): Promise<void> {
  const { bucket: Bucket, prefix: Prefix, endpoint } = settings
  const client = clientAt({ ...settings, timeoutMS: checkTimeoutMS }, endpoint)
  try {
    await client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 }))
  } catch (error) {
    const { httpStatusCode = 500 } = error instanceof S3ServiceException ? error.$metadata : {}
    if (httpStatusCode >= 500 || httpStatusCode === tooManyRequests) return onAway(error)
    const { name, message } = error as S3ServiceException
    throw new Error(`the store refuses the bucket ${Bucket}: ${name}: ${message}`, { cause: error })
  }
}

/** Uploads a stream of unknown length in parts, and returns its size. */
async function uploadStream(
  client: S3Client,
  to: { Bucket: string; Key: string; ContentType: string },
  bytes: Readable,
): Promise<number> {
  let size = 0
  const Body = new PassThrough()
  bytes.on('data', (chunk: Buffer) => (size += chunk.length))
  // The upload reports errors of `bytes`.
  pipeline(bytes, Body, () => undefined)
  try {
    await new Upload({ client, params: { ...to, Body } }).done()
    return size
  } finally {
    bytes.destroy()
  }
}

/** Resolves the origin of presigned URLs without signing one: credentials may not be available yet. */
function originOf({ bucket: Bucket, region: Region, pathStyle: ForcePathStyle, ...s3 }: S3Settings, client: S3Client) {
  const Endpoint = s3.publicEndpoint ?? s3.endpoint
  const { url } = client.config.endpointProvider({ Bucket, Region, ForcePathStyle, ...(Endpoint && { Endpoint }) })
  return url.origin
}

function secondsUntil(timeMS: number): number {
  return Math.max(1, Math.floor((timeMS - clock.now()) / 1_000))
}
