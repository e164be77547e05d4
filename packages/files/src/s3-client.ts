import { Readable } from 'node:stream'
import { S3Client } from '@aws-sdk/client-s3'

export interface S3Settings {
  bucket: string
  region: string
  /** For a store other than Amazon S3. */
  endpoint?: string | undefined
  /** The endpoint that clients use, if different. */
  publicEndpoint?: string | undefined
  /** The bucket is in the path, not in the host name. */
  pathStyle: boolean
  /** Prefix of all object keys. */
  prefix: string
  /** Defaults to the credentials of the machine's role. */
  accessKeyId?: string | undefined
  secretAccessKey?: string | undefined
  /** A request fails after this long without a response or further bytes, or before a complete response. */
  timeoutMS?: number | undefined
}

/** Adds one timeout per this many bytes of a response. */
const bytesPerTimeout = 16 * 1024 * 1024

/** @param endpoint for a store other than Amazon S3 @throws Error if only half of an access key is set */
export function clientAt(
  { region, pathStyle, accessKeyId, secretAccessKey, timeoutMS }: S3Settings,
  endpoint?: string,
): S3Client {
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    const names = 'PARLEY_FILES_S3_ACCESS_KEY_ID and PARLEY_FILES_S3_SECRET_ACCESS_KEY'
    throw new Error(`${names} belong together: only one of them is set`)
  }
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
    ...(timeoutMS !== undefined && {
      requestHandler: {
        connectionTimeout: Math.min(timeoutMS, 5_000),
        requestTimeout: timeoutMS,
        throwOnRequestTimeout: true,
        socketTimeout: timeoutMS,
      },
    }),
    maxAttempts: 2,
    // Not all stores support the newer checksums, and a presigned URL cannot include one of a future body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  if (timeoutMS !== undefined) boundResponses(client, timeoutMS)
  return client
}

/** Fails responses that are not complete in time: a trickle of bytes never triggers the socket timeout. */
function boundResponses(client: S3Client, timeoutMS: number): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const { body, headers } = result.response as { body?: unknown; headers: Record<string, string> }
      if (body instanceof Readable) {
        const maxMS = timeoutMS * (1 + Number(headers['content-length'] ?? 0) / bytesPerTimeout)
        const late = setTimeout(
          () => body.destroy(new Error(`incomplete response after ${Math.ceil(maxMS)} ms`)),
          maxMS,
        )
        body.once('close', () => clearTimeout(late))
      }
      return result
    },
    // Closest to the network: later steps read the response.
    { step: 'deserialize', priority: 'low', name: 'boundResponses' },
  )
}
