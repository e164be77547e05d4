import { randomBytes } from 'node:crypto'
import { maxStreams } from '@parley/contracts/bus/partitions'
import { z } from 'zod'
import { milliseconds, port, privateTargets, type SettingsDefinition } from './settings.ts'
import { tlsSettings } from './tls-settings.ts'

/** Prefixes of the TLS variables. */
export const tlsPrefix = { mongo: 'PARLEY_MONGO_TLS', nats: 'PARLEY_NATS_TLS', redis: 'PARLEY_REDIS_TLS' }

/** The connection to MongoDB. */
export const mongoSettings = {
  mongoUrl: {
    env: 'PARLEY_MONGO_URL',
    help: 'the MongoDB replica set, with the database in its path: mongodb://host:27017/parley?replicaSet=rs0; with a user: mongodb://user:password@host…&authSource=admin',
    schema: z.string().regex(/^mongodb(\+srv)?:\/\/./, 'expected a mongodb:// URL'),
    secret: true as const,
  },
  mongoTls: tlsSettings(tlsPrefix.mongo, 'MongoDB', 'tls=true in the URL'),
} satisfies SettingsDefinition

/** The command `parley restore`. */
export const restoreSettings = {
  oplogUrl: {
    ...mongoSettings.mongoUrl,
    env: 'PARLEY_RESTORE_OPLOG_URL',
    help: 'for parley restore --until: the MongoDB replica set and database where the backup was made; its user may read the database local',
  },
} satisfies SettingsDefinition

/** Settings of the audit log, which the gateways and the command line write. */
export const auditSettings = {
  auditDays: {
    env: 'PARLEY_AUDIT_DAYS',
    help: 'the number of days for which entries of the audit log are kept',
    schema: z.coerce.number().int().min(1).max(36_500).default(400),
  },
} satisfies SettingsDefinition

function isNatsServer(text: string): boolean {
  const url = text.includes('://') ? text.trim() : `nats://${text.trim()}`
  return URL.canParse(url) && new URL(url).host !== ''
}

/** The connection to NATS. */
export const natsSettings = {
  natsUrl: {
    env: 'PARLEY_NATS_URL',
    help: 'the NATS servers, with JetStream: nats://host:4222, several separated by commas; with a user: nats://user:password@host, with a token: nats://token@host',
    schema: z
      .string()
      .regex(/^(nats|tls):\/\//, 'expected a nats:// URL')
      .refine((list) => list.split(',').every(isNatsServer), 'expected hosts separated by commas'),
    secret: true as const,
  },
  natsTls: tlsSettings(tlsPrefix.nats, 'NATS', 'a tls:// URL'),
  natsCredentials: {
    env: 'PARLEY_NATS_CREDENTIALS',
    help: 'the NATS user with its JWT and seed: the text of a .creds file',
    schema: z
      .string()
      .regex(/-BEGIN NATS USER JWT-[^]+-BEGIN USER NKEY SEED-/, 'expected the text of a .creds file')
      .optional(),
    secret: true as const,
  },
} satisfies SettingsDefinition

function isRedisServer(text: string): boolean {
  return URL.canParse(text) && /^\/?\d*$/.test(new URL(text).pathname)
}

/** The connection to Redis. */
export const redisSettings = {
  redisUrl: {
    env: 'PARLEY_REDIS_URL',
    help: 'the Redis server: redis://host:6379; with an ACL user: redis://user:password@host; via Sentinel: redis+sentinel://user:password@host:26379,host:26379/name-of-the-master',
    schema: z
      .string()
      .regex(/^rediss?(?:\+sentinel)?:\/\/./, 'expected a redis:// or redis+sentinel:// URL')
      .refine((url) => url.includes('+sentinel:') || isRedisServer(url), 'expected redis://host:port/number'),
    secret: true as const,
  },
  redisTls: tlsSettings(tlsPrefix.redis, 'Redis', 'a rediss:// URL'),
} satisfies SettingsDefinition

/** The settings of every service. A service's definition starts with `...sharedSettings`. */
export const sharedSettings = {
  ...mongoSettings,
  ...natsSettings,
  ...redisSettings,
  stream: {
    count: {
      env: 'PARLEY_STREAMS',
      help: 'the number of NATS streams over which events are partitioned by room and user, 1 to 16; existing streams beyond it stay',
      schema: z.coerce.number().int().min(1).max(maxStreams).default(1),
    },
    replicas: {
      env: 'PARLEY_STREAM_REPLICAS',
      help: 'the number of replicas of each stream in a NATS cluster, 1 to 5; a stream with more replicas keeps them',
      schema: z.coerce.number().int().min(1).max(5).default(1),
    },
    maxBytes: {
      env: 'PARLEY_STREAM_MAX_BYTES',
      help: 'the maximum size of each event stream in bytes, beyond which its oldest events are removed; a larger limit of an existing stream stays',
      schema: z.coerce
        .number()
        .int()
        .min(1_048_576)
        .default(8 * 1024 ** 3),
    },
    maxAgeHours: {
      env: 'PARLEY_STREAM_MAX_AGE_HOURS',
      help: 'the number of hours for which streams keep events for services that are down; a longer limit of an existing stream stays',
      schema: z.coerce.number().int().min(1).max(8_760).default(72),
    },
  },
  changesKeptHours: {
    env: 'PARLEY_CHANGES_KEPT_HOURS',
    help: 'the number of hours for which changes other than new messages are kept in MongoDB, to be published again if a stream is lost; by default PARLEY_STREAM_MAX_AGE_HOURS',
    schema: z.coerce.number().int().min(1).max(8_760).optional(),
  },
  moderate: {
    timeoutMS: {
      env: 'PARLEY_MODERATE_TIMEOUT_MS',
      help: 'the timeout, in milliseconds, of calls to an app’s server about a message to send (MODERATE) or a search for users (directory)',
      schema: milliseconds.min(1).max(10_000).default(300),
    },
    allowPrivateTargets: {
      env: 'PARLEY_MODERATE_ALLOW_PRIVATE_TARGETS',
      help: 'whether the server of MODERATE or directory may have a private, loopback or link-local address; with loopback, only loopback addresses',
      schema: privateTargets,
    },
  },
  nodeId: {
    env: 'PARLEY_NODE_ID',
    help: 'the unique name of this process in logs and on the bus: 1 to 32 letters, digits, _ or -',
    schema: z
      .string()
      .regex(/^[\w-]{1,32}$/, 'expected 1 to 32 letters, digits, _ or -')
      .default(() => randomBytes(6).toString('hex')),
    madeAtStart: '(random)',
  },
  logLevel: {
    env: 'PARLEY_LOG_LEVEL',
    help: 'the least severe level that is logged: fatal, error, warn, info, debug, trace or silent',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  },
  internal: {
    host: {
      env: 'PARLEY_INTERNAL_HOST',
      help: 'the address that /metrics, /livez and /readyz are served on; keep it off the public network',
      schema: z.string().default('127.0.0.1'),
    },
    port: {
      env: 'PARLEY_INTERNAL_PORT',
      help: 'the port of /metrics, /livez and /readyz; 0 for a free one',
      schema: port.default(9090),
    },
  },
  trace: {
    endpoint: {
      env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      help: 'the OTLP/HTTP endpoint for traces, such as http://collector:4318; without it, nothing is traced',
      schema: z.url({ protocol: /^https?$/ }).optional(),
    },
    ratio: {
      env: 'PARLEY_TRACE_RATIO',
      help: 'the sampling ratio of requests for which the caller has not decided, 0 to 1',
      schema: z.coerce.number().min(0).max(1).default(1),
    },
    serviceName: {
      env: 'OTEL_SERVICE_NAME',
      help: 'the service.name of the traces, by default parley- and the name of the service',
      schema: z.string().min(1).optional(),
    },
    attributes: {
      env: 'OTEL_RESOURCE_ATTRIBUTES',
      help: 'additional resource attributes of the traces, as comma-separated name=value pairs with percent-encoded values',
      schema: z.string().default('').transform(toAttributes),
    },
  },
  drainMS: {
    env: 'PARLEY_DRAIN_MS',
    help: 'the time, in milliseconds, that a stopping service has to finish its work',
    schema: milliseconds.default(20_000),
  },
} satisfies SettingsDefinition

/** Parses the format of W3C Baggage (opentelemetry.io/docs/specs/otel/resource/sdk). */
function toAttributes(text: string, context: z.RefinementCtx): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
    if (name === undefined || value === undefined) {
      context.addIssue({ code: 'custom', message: `is not name=value: ${pair.trim()}` })
      return z.NEVER
    }
    try {
      attributes[name] = decoded(value)
    } catch {
      context.addIssue({ code: 'custom', message: `is not percent-encoded UTF-8: ${pair.trim()}` })
      return z.NEVER
    }
  }
  return attributes
}

/** Percent-decodes a value, unless it contains a stray %. @throws URIError if the result is not UTF-8 */
function decoded(value: string): string {
  return /%(?![0-9a-f]{2})/i.test(value) ? value : decodeURIComponent(value)
}
