import { Readable } from 'node:stream'
import { S3Client } from '@aws-sdk/client-s3'

export interface S3Settings {
  bucket: string
  region: string
  /** Of a store that is not Amazon's. */
  endpoint?: string | undefined
  /** Under which clients reach it, where that is another. */
  publicEndpoint?: string | undefined
  /** The bucket in the path, not in the host name. */
  pathStyle: boolean
  /** The prefix of our objects' keys. */
  prefix: string
  /** Without them those of the machine's role. */
  accessKeyId?: string | undefined
  secretAccessKey?: string | undefined
  /** After so long without a response, without a byte more of it, or without all of it (longer where it is large), a request has failed. */
  timeoutMS?: number | undefined
}

/** A larger response may take proportionally longer. */
const bytesPerTimeout = 16 * 1024 * 1024
/** @param endpoint of a store that is not Amazon's */
export function clientAt(
  { region, pathStyle, accessKeyId, secretAccessKey, timeoutMS }: S3Settings,
  endpoint?: string,
): S3Client {
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
    // Not every store knows the newer checksums, and an address that was signed can have none of a body to come.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  if (timeoutMS !== undefined) boundResponses(client, timeoutMS)
  return client
}

/** Bytes that come one now and then keep a socket busy for ever: a response that is not whole in time has failed. */
function boundResponses(client: S3Client, timeoutMS: number): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const { body, headers } = result.response as { body?: unknown; headers: Record<string, string> }
      if (body instanceof Readable) {
        const mostMS = timeoutMS * (1 + Number(headers['content-length'] ?? 0) / bytesPerTimeout)
        const late = setTimeout(() => body.destroy(new Error(`no whole response in ${Math.ceil(mostMS)} ms`)), mostMS)
        body.once('close', () => clearTimeout(late))
      }
      return result
    },
    // Next to the network: later steps read the response after this.
    { step: 'deserialize', priority: 'low', name: 'boundResponses' },
  )
}
