import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { milliseconds, port, type SettingsDefinition } from './settings.ts'

/** The settings that every service has. A service's definition starts with `...sharedSettings`. */
export const sharedSettings = {
  mongoUrl: {
    env: 'PARLEY_MONGO_URL',
    help: 'the MongoDB replica set, with the database in its path: mongodb://host:27017/parley?replicaSet=rs0',
    schema: z.string().regex(/^mongodb(\+srv)?:\/\/./, 'expected a mongodb:// URL'),
    secret: true,
  },
  natsUrl: {
    env: 'PARLEY_NATS_URL',
    help: 'the NATS servers, with JetStream: nats://host:4222, several separated by commas',
    schema: z.string().regex(/^(nats|tls):\/\//, 'expected a nats:// URL'),
    secret: true,
  },
  redisUrl: {
    env: 'PARLEY_REDIS_URL',
    help: 'the Redis server: redis://host:6379',
    schema: z.string().regex(/^rediss?:\/\/./, 'expected a redis:// URL'),
    secret: true,
  },
  nodeId: {
    env: 'PARLEY_NODE_ID',
    help: 'the name of this process in logs and on the bus, unlike that of any other: 1 to 32 letters, digits, _ or -',
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
      help: 'the port of /metrics, /livez and /readyz; 0 takes a free one',
      schema: port.default(9090),
    },
  },
  trace: {
    endpoint: {
      env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      help: 'the receiver of OpenTelemetry traces by OTLP/HTTP, such as http://collector:4318; nothing is traced without it',
      schema: z.url({ protocol: /^https?$/ }).optional(),
    },
    ratio: {
      env: 'PARLEY_TRACE_RATIO',
      help: 'the share of requests that is traced, 0 to 1, where the caller has not decided',
      schema: z.coerce.number().min(0).max(1).default(1),
    },
  },
  drainMs: {
    env: 'PARLEY_DRAIN_MS',
    help: 'the milliseconds that a stopping service may take to finish what it has begun',
    schema: milliseconds.default(20_000),
  },
} satisfies SettingsDefinition
