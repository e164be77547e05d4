import { z } from 'zod'
import { type SettingsDefinition, yesOrNo } from './settings.ts'

/** Where message files are stored and scanned; for every service that reads or writes them. */
export const fileSettings = {
  folder: {
    env: 'PARLEY_FILES_FOLDER',
    help: 'the folder that files of messages are kept in, without S3; all gateways and stats services must share it',
    schema: z.string().min(1).default('.parley/files'),
  },
  publicUrl: {
    env: 'PARLEY_FILES_URL',
    help: 'the address under which clients and a scanner reach the gateways, such as https://chat.example.com/api, for the addresses of files; by default the host that a request names',
    schema: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  },
  scanUrl: {
    env: 'PARLEY_FILES_SCAN_URL',
    help: 'the address of a scanner that is asked about each uploaded file before anybody gets it',
    schema: z.url({ protocol: /^https?$/ }).optional(),
  },
  scanOpen: {
    env: 'PARLEY_FILES_SCAN_OPEN',
    help: 'whether files are given out while the scanner does not answer; otherwise they wait for it',
    schema: yesOrNo.default(false),
  },
  s3: {
    bucket: {
      env: 'PARLEY_FILES_S3_BUCKET',
      help: 'the bucket of an S3-compatible store that files of messages are kept in, instead of the folder; clients exchange the bytes with it',
      schema: z.string().min(1).optional(),
    },
    region: {
      env: 'PARLEY_FILES_S3_REGION',
      help: 'the region of the bucket',
      schema: z.string().min(1).default('us-east-1'),
    },
    endpoint: {
      env: 'PARLEY_FILES_S3_ENDPOINT',
      help: 'the address of a store that is not Amazon’s, such as https://minio.internal:9000',
      schema: z.url({ protocol: /^https?$/ }).optional(),
    },
    publicEndpoint: {
      env: 'PARLEY_FILES_S3_PUBLIC_ENDPOINT',
      help: 'the address under which clients reach that store, where it is another',
      schema: z.url({ protocol: /^https?$/ }).optional(),
    },
    pathStyle: {
      env: 'PARLEY_FILES_S3_PATH_STYLE',
      help: 'whether the bucket stands in the path of addresses and not in the host name, as most stores beside Amazon’s want it',
      schema: yesOrNo.default(false),
    },
    prefix: {
      env: 'PARLEY_FILES_S3_PREFIX',
      help: 'what the keys of the files begin with, such as parley/',
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
