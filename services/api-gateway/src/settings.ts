import { fileSettings } from '@parley/service/file-settings'
import { rateSettings } from '@parley/service/rate-settings'
import { milliseconds, port, wholeNumber } from '@parley/service/settings'
import { auditSettings, sharedSettings } from '@parley/service/shared-settings'
import { z } from 'zod'
import { consoleSettings } from './console/console-settings.ts'

/** As in a Content-Security-Policy: `https://shop.example https://*.example.com:8443`. */
const origins = z
  .string()
  .regex(/^(?:(?:\*|https?:\/\/(?:\*\.)?[\w.-]+(?::\d+)?)(?: +|$))*$/, 'must be origins with spaces between')
  .default('')
  .transform((text) => text.split(/ +/).filter((origin) => origin !== ''))

/** As browsers send them in Origin. */
const exactOrigins = z
  .string()
  .regex(/^(?:https?:\/\/[\w.-]+(?::\d+)?(?: +|$))*$/, 'must be origins with spaces between')
  .default('')
  .transform((text) => text.split(/ +/).filter((origin) => origin !== ''))

/** Everything that the api-gateway takes from its environment. */
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
    help: 'the distinct wrong keys and tokens of one IP address (IPv6: /64) in a minute, with those over sockets, after which further ones get 429; 0 is no limit',
    schema: wholeNumber.default(100),
  },
  tokenDays: {
    env: 'PARLEY_GATEWAY_TOKEN_DAYS',
    help: 'the lifetime of an issued token in days',
    // Later days are no dates any more, and a token of no days is dead at once.
    schema: wholeNumber.min(1).max(36_500).default(30),
  },
  exportEveryMS: {
    env: 'PARLEY_GATEWAY_EXPORT_EVERY_MS',
    help: 'the milliseconds between two exports that a user asks for by POST /me/export',
    schema: milliseconds.default(86_400_000),
  },
  jobAfterMS: {
    env: 'PARLEY_GATEWAY_JOB_AFTER_MS',
    help: 'how long a batch or an erasure may take, in milliseconds, before it is answered with 202 and goes on as a job',
    schema: milliseconds.default(5_000),
  },
  streamSilenceMS: {
    env: 'PARLEY_GATEWAY_STREAM_SILENCE_MS',
    help: 'how long no piece of a streamed message may come, in milliseconds, before the message ends by itself',
    schema: milliseconds.min(1).default(60_000),
  },
  receiveMS: {
    env: 'PARLEY_GATEWAY_RECEIVE_MS',
    help: 'how long the head of a request may take to arrive, and then its body, in milliseconds; not the body of an uploaded file',
    schema: milliseconds.min(1).default(30_000),
  },
  maxLoopDelayMS: {
    env: 'PARLEY_GATEWAY_MAX_LOOP_DELAY_MS',
    help: 'the delay of the event loop, in milliseconds, above which requests are refused with 503 until the gateway keeps up again; 0 is no limit',
    schema: wholeNumber.default(2_000),
  },
  chatFrameAncestors: {
    env: 'PARLEY_GATEWAY_CHAT_FRAME_ANCESTORS',
    help: 'the origins, with spaces between, whose pages may show /chat in a frame, beside our own; * is every one',
    schema: origins,
  },
  mcpOrigins: {
    env: 'PARLEY_GATEWAY_MCP_ORIGINS',
    help: 'the origins, with spaces between, of browser pages that may call /mcp; clients that are no browsers need none',
    schema: exactOrigins,
  },
  console: consoleSettings,
  files: {
    ...fileSettings,
    maxBytes: {
      env: 'PARLEY_GATEWAY_FILE_MAX_BYTES',
      help: 'the size of a file of messages, in bytes, at most',
      schema: wholeNumber
        .min(1)
        .max(5 * 1024 ** 3)
        .default(100 * 1024 ** 2),
    },
    maxBytesPerUser: {
      env: 'PARLEY_GATEWAY_FILES_MAX_BYTES_PER_USER',
      help: 'the bytes that all files of one user may have together; 0 is no limit',
      schema: wholeNumber.default(5 * 1024 ** 3),
    },
    minFreeBytes: {
      env: 'PARLEY_GATEWAY_FILES_MIN_FREE_BYTES',
      help: 'the bytes that uploads leave free in the folder of files; over it they get 507',
      schema: wholeNumber.default(1024 ** 3),
    },
    uploadBytesPerUser: {
      env: 'PARLEY_GATEWAY_UPLOAD_BYTES_PER_USER',
      help: 'the bytes of files that one user may upload to one gateway at a time; a single upload may have more; 0 is no limit',
      schema: wholeNumber.default(1024 ** 3),
    },
    uploadBytes: {
      env: 'PARLEY_GATEWAY_UPLOAD_BYTES',
      help: 'the bytes of files that all users may upload to one gateway at a time; a single upload may have more; 0 is no limit',
      schema: wholeNumber.default(20 * 1024 ** 3),
    },
    uploadsPerUser: {
      env: 'PARLEY_GATEWAY_UPLOADS_PER_USER',
      help: 'the uploads of files that one user may begin in a minute; 0 is no limit',
      schema: wholeNumber.default(300),
    },
  },
  ratePerApiKey: {
    env: 'PARLEY_GATEWAY_RATE_PER_API_KEY',
    help: 'the requests that one API key may make in a minute; 0 is no limit',
    schema: wholeNumber.default(600_000),
  },
  rates: rateSettings,
}
