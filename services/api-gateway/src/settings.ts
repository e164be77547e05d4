import { fileSettings } from '@parley/service/file-settings'
import { rateSettings } from '@parley/service/rate-settings'
import { milliseconds, port, wholeNumber } from '@parley/service/settings'
import { auditSettings, sharedSettings } from '@parley/service/shared-settings'
import { z } from 'zod'
import { consoleSettings } from './console/console-settings.ts'

const originsLike = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern, 'must be space-separated origins')
    .default('')
    .transform((text) => text.split(/ +/).filter((origin) => origin !== ''))

/** In Content-Security-Policy syntax: `https://shop.example https://*.example.com:8443`. */
const origins = originsLike(/^(?:(?:\*|https?:\/\/(?:\*\.)?[\w.-]+(?::\d+)?)(?: +|$))*$/)

/** As browsers send them in Origin. */
const exactOrigins = originsLike(/^(?:https?:\/\/[\w.-]+(?::\d+)?(?: +|$))*$/)

/** All settings of the api-gateway. */
export const gatewaySettings = {
  ...sharedSettings,
  ...auditSettings,
  host: {
    env: 'PARLEY_GATEWAY_HOST',
    help: 'the address that REST is served on',
    schema: z.string().default('127.0.0.1'),
  },
  port: {
    env: 'PARLEY_GATEWAY_PORT',
    help: 'the port of REST; 0 takes a free one',
    schema: port.default(8080),
  },
  trustedProxies: {
    env: 'PARLEY_GATEWAY_TRUSTED_PROXIES',
    help: 'the number of proxies in front that add to X-Forwarded-For; 0 ignores that header',
    schema: wholeNumber.default(0),
  },
  failedLoginsPerAddress: {
    env: 'PARLEY_GATEWAY_FAILED_LOGINS_PER_ADDRESS',
    help: 'the distinct wrong keys and tokens per minute of one IP address (IPv6: /64), over REST and sockets, after which further ones get 429; 0 is no limit',
    schema: wholeNumber.default(100),
  },
  tokenDays: {
    env: 'PARLEY_GATEWAY_TOKEN_DAYS',
    help: 'the lifetime of an issued token in days',
    // More days exceed the range of Date; 0 days would expire tokens immediately.
    schema: wholeNumber.min(1).max(36_500).default(30),
  },
  exportEveryMS: {
    env: 'PARLEY_GATEWAY_EXPORT_EVERY_MS',
    help: 'the minimum milliseconds between two POST /me/export of a user',
    schema: milliseconds.default(86_400_000),
  },
  jobAfterMS: {
    env: 'PARLEY_GATEWAY_JOB_AFTER_MS',
    help: 'the milliseconds after which a batch or erasure returns 202 and continues as a job',
    schema: milliseconds.default(5_000),
  },
  streamSilenceMS: {
    env: 'PARLEY_GATEWAY_STREAM_SILENCE_MS',
    help: 'the milliseconds without a piece after which a streamed message ends',
    schema: milliseconds.min(1).default(60_000),
  },
  receiveMS: {
    env: 'PARLEY_GATEWAY_RECEIVE_MS',
    help: 'the timeout for receiving the headers of a request, and then its body, in milliseconds; file uploads are exempt',
    schema: milliseconds.min(1).default(30_000),
  },
  maxLoopDelayMS: {
    env: 'PARLEY_GATEWAY_MAX_LOOP_DELAY_MS',
    help: 'the event loop delay, in milliseconds, above which requests get 503 until the gateway catches up; 0 is no limit',
    schema: wholeNumber.default(2_000),
  },
  chatFrameAncestors: {
    env: 'PARLEY_GATEWAY_CHAT_FRAME_ANCESTORS',
    help: 'the origins, space-separated, that may frame /chat besides our own; * is all',
    schema: origins,
  },
  mcpOrigins: {
    env: 'PARLEY_GATEWAY_MCP_ORIGINS',
    help: 'the origins, space-separated, of browser pages that may call /mcp; other clients need none',
    schema: exactOrigins,
  },
  console: consoleSettings,
  files: {
    ...fileSettings,
    maxBytes: {
      env: 'PARLEY_GATEWAY_FILE_MAX_BYTES',
      help: 'the maximum size of a file, in bytes',
      schema: wholeNumber
        .min(1)
        .max(5 * 1024 ** 3)
        .default(100 * 1024 ** 2),
    },
    maxBytesPerUser: {
      env: 'PARLEY_GATEWAY_FILES_MAX_BYTES_PER_USER',
      help: 'the maximum total bytes of the files of one user; 0 is no limit',
      schema: wholeNumber.default(5 * 1024 ** 3),
    },
    minFreeBytes: {
      env: 'PARLEY_GATEWAY_FILES_MIN_FREE_BYTES',
      help: 'the bytes to keep free in the file folder; uploads that would use them get 507',
      schema: wholeNumber.default(1024 ** 3),
    },
    uploadBytesPerUser: {
      env: 'PARLEY_GATEWAY_UPLOAD_BYTES_PER_USER',
      help: 'the bytes of concurrent uploads of one user per gateway; a single upload may exceed it; 0 is no limit',
      schema: wholeNumber.default(1024 ** 3),
    },
    uploadBytes: {
      env: 'PARLEY_GATEWAY_UPLOAD_BYTES',
      help: 'the bytes of concurrent uploads of all users per gateway; a single upload may exceed it; 0 is no limit',
      schema: wholeNumber.default(20 * 1024 ** 3),
    },
    uploadsPerUser: {
      env: 'PARLEY_GATEWAY_UPLOADS_PER_USER',
      help: 'the uploads per minute of one user; 0 is no limit',
      schema: wholeNumber.default(300),
    },
  },
  ratePerApiKey: {
    env: 'PARLEY_GATEWAY_RATE_PER_API_KEY',
    help: 'the requests per minute of one API key; 0 is no limit',
    schema: wholeNumber.default(600_000),
  },
  rates: rateSettings,
}
