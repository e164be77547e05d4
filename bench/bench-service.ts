import { join } from 'node:path'
import { type ServiceProcess, startService } from '@parley/local/service-process'
import type { Servers } from '@parley/stack/up'

/** The setting of the public port. The push service has none. */
const portSettings = {
  'api-gateway': { PARLEY_GATEWAY_PORT: '0' },
  realtime: { PARLEY_REALTIME_PORT: '0' },
  push: {},
} as const

/**
 * Starts a service for a benchmark: on a free port, logging only warnings and errors. The benchmark fails if the service
 * exits unexpectedly.
 * @param env additional settings
 * @param root the checkout to start it from, by default this one
 * @param mayDie the benchmark kills the service on purpose
 */
export function startBenchService(
  service: keyof typeof portSettings,
  servers: Pick<Servers, 'mongoUrl' | 'natsUrl' | 'redisUrl'>,
  env: NodeJS.ProcessEnv = {},
  { root, mayDie = false }: { root?: string | undefined; mayDie?: boolean } = {},
): Promise<ServiceProcess> {
  return startService(
    {
      service,
      name: 'bench',
      ...(root !== undefined && { root }),
      logFile: join(import.meta.dirname, `../.parley/bench-${service}.log`),
      env: {
        PATH: process.env['PATH'],
        PARLEY_MONGO_URL: servers.mongoUrl,
        PARLEY_NATS_URL: servers.natsUrl,
        PARLEY_REDIS_URL: servers.redisUrl,
        PARLEY_NODE_ID: 'bench',
        PARLEY_INTERNAL_PORT: '0',
        ...portSettings[service],
        PARLEY_LOG_LEVEL: 'warn',
        // Rate limits stay on, but are never reached.
        PARLEY_RATE_PER_USER: '1000000000',
        PARLEY_RATE_PER_APP: '1000000000',
        ...env,
      },
    },
    (how) => {
      if (!mayDie) throw new Error(how)
    },
  )
}
