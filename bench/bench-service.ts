import { join } from 'node:path'
import { type ServiceProcess, startService } from '@parley/local/service-process'
import type { Servers } from '@parley/stack/up'

const portSettings = { 'api-gateway': 'PARLEY_GATEWAY_PORT', realtime: 'PARLEY_REALTIME_PORT' } as const

/**
 * A service as benchmarks measure it: on these servers, on a free port, logging only what is wrong. When it ends unasked,
 * so does the benchmark.
 * @param env settings beside these
 */
export function startBenchService(
  service: keyof typeof portSettings,
  servers: Pick<Servers, 'mongoUrl' | 'natsUrl' | 'redisUrl'>,
  env: NodeJS.ProcessEnv = {},
): Promise<ServiceProcess> {
  return startService(
    {
      service,
      name: 'bench',
      logFile: join(import.meta.dirname, `../.parley/bench-${service}.log`),
      env: {
        PATH: process.env['PATH'],
        PARLEY_MONGO_URL: servers.mongoUrl,
        PARLEY_NATS_URL: servers.natsUrl,
        PARLEY_REDIS_URL: servers.redisUrl,
        PARLEY_NODE_ID: 'bench',
        PARLEY_INTERNAL_PORT: '0',
        [portSettings[service]]: '0',
        PARLEY_LOG_LEVEL: 'warn',
        ...env,
      },
    },
    (how) => {
      throw new Error(how)
    },
  )
}
