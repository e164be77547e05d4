import { rateSettings } from '@parley/service/rate-settings'
import { milliseconds, port, wholeNumber } from '@parley/service/settings'
import { sharedSettings } from '@parley/service/shared-settings'
import { z } from 'zod'

export const realtimeSettings = {
  ...sharedSettings,
  host: {
    env: 'PARLEY_REALTIME_HOST',
    help: 'the address that sockets are served on',
    schema: z.string().default('127.0.0.1'),
  },
  port: {
    env: 'PARLEY_REALTIME_PORT',
    help: 'the port of /socket.io/; 0 takes a free one',
    schema: port.default(8081),
  },
  trustedProxies: {
    env: 'PARLEY_REALTIME_TRUSTED_PROXIES',
    help: 'the number of proxies in front that add to X-Forwarded-For; 0 ignores that header',
    schema: wholeNumber.default(0),
  },
  pingIntervalMS: {
    env: 'PARLEY_REALTIME_PING_INTERVAL_MS',
    help: 'the milliseconds between two heartbeats',
    schema: milliseconds.min(100).default(25_000),
  },
  pingTimeoutMS: {
    env: 'PARLEY_REALTIME_PING_TIMEOUT_MS',
    help: 'the milliseconds after which a heartbeat without an answer closes the connection',
    schema: milliseconds.min(100).default(20_000),
  },
  authenticateWithinMS: {
    env: 'PARLEY_REALTIME_AUTHENTICATE_WITHIN_MS',
    help: 'the milliseconds after which a socket that has not authenticated is closed',
    schema: milliseconds.min(1).default(30_000),
  },
  maxPayload: {
    env: 'PARLEY_REALTIME_MAX_PAYLOAD',
    help: 'the maximum size of a message from a client, in bytes',
    schema: wholeNumber.min(1_024).default(256 * 1024),
  },
  maxBufferedBytes: {
    env: 'PARLEY_REALTIME_MAX_BUFFERED_BYTES',
    help: 'the maximum bytes buffered for a slow reader before its connection is closed',
    schema: wholeNumber.min(1_024).default(1024 * 1024),
  },
  packetsPerSecond: {
    env: 'PARLEY_REALTIME_PACKETS_PER_SECOND',
    help: 'the packets of any kind per second after which a connection is closed',
    schema: wholeNumber.min(1).default(1_000),
  },
  catchUpEvents: {
    env: 'PARLEY_REALTIME_CATCH_UP_EVENTS',
    help: 'the maximum number of missed events replayed to a client with `since`; a client that missed more is not resumed',
    schema: wholeNumber.default(10_000),
  },
  serverTimeEveryMS: {
    env: 'PARLEY_REALTIME_SERVER_TIME_EVERY_MS',
    help: 'the milliseconds between two serverTime events to a client with `since`',
    schema: milliseconds.min(1).default(60_000),
  },
  orderWaitMS: {
    env: 'PARLEY_REALTIME_ORDER_WAIT_MS',
    help: 'the milliseconds that an out-of-order message waits for earlier ones of its room before the node reads them from the database',
    schema: milliseconds.default(200),
  },
  rates: rateSettings,
  limits: {
    connections: {
      env: 'PARLEY_REALTIME_CONNECTIONS',
      help: 'the maximum connections of a node, beyond which it responds with 503; 0: the limit of open files less 256',
      schema: wholeNumber.default(0),
    },
    connectionsPerAddress: {
      env: 'PARLEY_REALTIME_CONNECTIONS_PER_ADDRESS',
      help: 'the maximum connections of one IP address to a node; 0 is no limit',
      schema: wholeNumber.default(10_000),
    },
    connectionsPerUser: {
      env: 'PARLEY_REALTIME_CONNECTIONS_PER_USER',
      help: 'the maximum connections of one user to a node; 0 is no limit',
      schema: wholeNumber.default(100),
    },
    failedLoginsPerAddress: {
      env: 'PARLEY_REALTIME_FAILED_LOGINS_PER_ADDRESS',
      help: 'the distinct wrong keys and tokens per minute of one IP address (IPv6: /64), over sockets and REST, after which further ones get 429 and their socket is closed; 0 is no limit',
      schema: wholeNumber.default(100),
    },
    admissionsPerSecond: {
      env: 'PARLEY_REALTIME_ADMISSIONS_PER_SECOND',
      help: 'the logins per second of a node; further ones wait; 0 is no limit',
      schema: wholeNumber.default(1_500),
    },
    eventsPerSecond: {
      env: 'PARLEY_REALTIME_EVENTS_PER_SECOND',
      help: 'the events per second that a node accepts from one connection; 0 is no limit',
      schema: wholeNumber.default(50),
    },
  },
}
