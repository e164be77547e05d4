import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type ServiceProcess, startService } from '@parley/local/service-process'
import type { Servers } from '@parley/stack/up'

type ServiceName = 'api-gateway' | 'realtime' | 'push' | 'stats' | 'all-in-one'

export interface RunningService extends ServiceProcess {
  service: ServiceName
  /** The public URL, if the service has one. */
  url: string
  logFile: string
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>
}

export interface ServiceStarter {
  /**
   * Starts a service on free ports.
   *
   * @param env additional settings
   * @param root the checkout to start from, by default this one
   */
  start(service: ServiceName, env?: NodeJS.ProcessEnv, root?: string): Promise<RunningService>
  /** The longest-running gateway. */
  firstGateway(): RunningService
  /** Whether a service was killed: the servers can still have requests of it. */
  readonly hasKilled: boolean
  /** Stops all remaining services. */
  stop(): Promise<void>
}

/** Starts services as processes on a test's servers; writes their logs into the folder. */
export function serviceStarter(servers: Servers, logs: string): ServiceStarter {
  const running = new Set<RunningService>()
  const coverage = process.env['NODE_V8_COVERAGE']
  let started = 0
  let hasKilled = false

  const settings = (name: string) => ({
    PATH: process.env['PATH'],
    ...(coverage !== undefined && { NODE_V8_COVERAGE: coverage }),
    PARLEY_MONGO_URL: servers.mongoUrl,
    PARLEY_NATS_URL: servers.natsUrl,
    PARLEY_REDIS_URL: servers.redisUrl,
    PARLEY_NODE_ID: name,
    PARLEY_INTERNAL_PORT: '0',
    PARLEY_GATEWAY_PORT: '0',
    PARLEY_REALTIME_PORT: '0',
    PARLEY_DRAIN_MS: '2000',
    // An overloaded machine must not refuse a test's requests.
    PARLEY_GATEWAY_MAX_LOOP_DELAY_MS: '0',
    // Nor turn slow requests into jobs.
    PARLEY_GATEWAY_JOB_AFTER_MS: '60000',
  })

  return {
    async start(service, env = {}, root) {
      const name = `${service}-${++started}`
      const gone = Promise.withResolvers<void>()
      const logFile = join(logs, `${randomUUID()}-${name}.log`)
      const checkout = root !== undefined && { root }
      const launch = { service, name, logFile, ...checkout, env: { ...settings(name), ...env } }
      const child = await startService(launch, () => gone.resolve())
      const runningService: RunningService = {
        ...child,
        service,
        logFile,
        url: `http://127.0.0.1:${child.ports['http']}`,
        kill: async () => {
          running.delete(runningService)
          hasKilled = true
          process.kill(child.pid, 'SIGKILL')
          await gone.promise
        },
        stop: async () => {
          running.delete(runningService)
          await child.stop()
        },
      }
      running.add(runningService)
      return runningService
    },
    firstGateway() {
      const gateway = [...running].find(({ service }) => service === 'api-gateway' || service === 'all-in-one')
      if (!gateway) throw new Error('no api-gateway is running')
      return gateway
    },
    get hasKilled() {
      return hasKilled
    },
    async stop() {
      await Promise.all([...running].map((service) => service.stop()))
    },
  }
}
