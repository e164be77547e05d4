import { z } from 'zod'
import type { Logger } from './log.ts'
import { type SettingsDefinition, yesOrNo } from './settings.ts'

/** Where message files are stored and scanned. Used by every service that reads or writes files. */
export const fileSettings = {
  folder: {
    env: 'PARLEY_FILES_FOLDER',
    help: 'the folder that message files are stored in, if S3 is not used, by default .parley/files; all gateways and stats services must share it',
    schema: z.string().min(1).optional(),
  },
  publicUrl: {
    env: 'PARLEY_FILES_URL',
    help: 'the URL at which clients and a scanner reach the gateways, such as https://chat.example.com/api, used for file URLs; by default the host of the request',
    schema: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  },
  scanUrl: {
    env: 'PARLEY_FILES_SCAN_URL',
    help: 'the URL of a scanner that checks each uploaded file before it is delivered',
    schema: z.url({ protocol: /^https?$/ }).optional(),
  },
  scanOpen: {
    env: 'PARLEY_FILES_SCAN_OPEN',
    help: 'whether files are delivered while the scanner does not respond; otherwise they wait for it',
    schema: yesOrNo.default(false),
  },
  s3: {
    bucket: {
      env: 'PARLEY_FILES_S3_BUCKET',
      help: 'the bucket of an S3-compatible store that message files are stored in, instead of the folder; clients upload to and download from it directly',
      schema: z.string().min(1).optional(),
    },
    region: {
      env: 'PARLEY_FILES_S3_REGION',
      help: 'the region of the bucket',
      schema: z.string().min(1).default('us-east-1'),
    },
    endpoint: {
      env: 'PARLEY_FILES_S3_ENDPOINT',
      help: 'the endpoint of a store other than Amazon S3, such as https://minio.internal:9000',
      schema: z.url({ protocol: /^https?$/ }).optional(),
    },
    publicEndpoint: {
      env: 'PARLEY_FILES_S3_PUBLIC_ENDPOINT',
      help: 'the endpoint at which clients reach that store, if different',
      schema: z.url({ protocol: /^https?$/ }).optional(),
    },
    pathStyle: {
      env: 'PARLEY_FILES_S3_PATH_STYLE',
      help: 'whether URLs have the bucket in the path instead of the host name, as most stores other than Amazon S3 require',
      schema: yesOrNo.default(false),
    },
    prefix: {
      env: 'PARLEY_FILES_S3_PREFIX',
      help: 'the prefix of all object keys, such as parley/',
      schema: z.string().default(''),
    },
    accessKeyId: {
      env: 'PARLEY_FILES_S3_ACCESS_KEY_ID',
      help: 'the access key; without it the credentials of the machine’s role are used',
      schema: z.string().min(1).optional(),
      secret: true as const,
    },
    secretAccessKey: {
      env: 'PARLEY_FILES_S3_SECRET_ACCESS_KEY',
      help: 'the secret of the access key',
      schema: z.string().min(1).optional(),
      secret: true as const,
    },
  },
} satisfies SettingsDefinition

/** The setting that names the store in use. */
export function storeSetting(s3: { bucket?: string | undefined }): { env: string } {
  return s3.bucket === undefined ? fileSettings.folder : fileSettings.s3.bucket
}

/** Logs that the default folder or the bucket is not usable, which matters only to an installation with files. */
export const noFiles = (log: Logger, s3: { bucket?: string | undefined }) => (error: unknown) =>
  log.warn({ err: error, setting: storeSetting(s3).env }, 'no place for files: uploads fail')
