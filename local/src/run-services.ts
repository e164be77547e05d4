import { existsSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Servers } from '@parley/stack/up'
import type { Front } from './front.ts'
import { type ServiceProcess, startService } from './service-process.ts'
import { type Keeping, startAgain } from './start-again.ts'

interface Wanted {
  servers: Servers
  front: Front
  /** The address of the front. */
  baseUrl: string
  /** Number of processes of each service. */
  counts: Record<string, number>
  /** The data folder, which gets the logs. */
  data: string
  /** PARLEY_STREAM_MAX_BYTES, if not the default. */
  streamBytes: number | undefined
  keeping: Keeping
  /** Receives the stop function before anything is started. */
  onStop: (stop: () => Promise<unknown>) => void
}

/**
 * Starts all service processes and restarts each that dies. The front sends requests to the running ones. Resolves when all
 * are ready.
 *
 * @throws StackError when one exits before it is ready for the first time
 */
export async function runServices(wanted: Wanted): Promise<() => ServiceProcess[]> {
  const { front, data, keeping } = wanted
  const running = new Map<string, ServiceProcess>()
  wanted.onStop(() => Promise.all(Array.from(running.values(), (service) => service.stop())))
  const portsOf = (services: RegExp, port: 'http' | 'sockets') =>
    Array.from(running.values()).flatMap(({ name, ports }) => (services.test(name) ? (ports[port] ?? []) : []))
  const balance = () =>
    front.balance({
      gateways: portsOf(/^(?:api-gateway|all-in-one)-/, 'http'),
      realtime: [...portsOf(/^realtime-/, 'http'), ...portsOf(/^all-in-one-/, 'sockets')],
    })
  const env = serviceSettings(wanted)
  // Scanners get file URLs from stats. Clients get URLs with the host that they called.
  const ofStats = { PARLEY_FILES_URL: process.env['PARLEY_FILES_URL'] ?? wanted.baseUrl }

  const begin = async (service: string, number: number) => {
    const name = `${service}-${number}`
    const logFile = join(data, 'logs', `${name}.log`)
    const own = service === 'stats' || service === 'all-in-one' ? ofStats : {}
    const launch = { service, name, logFile, env: { ...env, ...own, PARLEY_NODE_ID: name } }
    const start = async () => {
      if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`)
      const started = await startService(launch, (sentence) => {
        running.delete(name)
        balance()
        void onDeath(sentence)
      })
      if (keeping.signal.aborted) return started.stop()
      running.set(name, started)
      if (isOpen) balance()
    }
    const onDeath = startAgain({ name, start, ...keeping })
    waitingFor.add(name)
    await start()
    waitingFor.delete(name)
    keeping.say(`${name}: ready`)
  }
  const waitingFor = new Set<string>()
  let isOpen = false
  const all = Object.entries(wanted.counts).flatMap(([service, count]) =>
    Array.from({ length: count }, (_, i) => begin(service, i + 1)),
  )
  keeping.say('Services: starting')
  const reminder = setInterval(() => keeping.say(`Still waiting for ${[...waitingFor].join(', ')}`), 5_000)
  await Promise.all(all).finally(() => clearInterval(reminder))
  isOpen = true
  balance()
  return () => Array.from(running.values()).toSorted((a, b) => a.name.localeCompare(b.name))
}

function serviceSettings({ servers, data, streamBytes }: Wanted): NodeJS.ProcessEnv {
  return {
    PARLEY_DRAIN_MS: '5000',
    // Allows webhooks, PUSH_GENERIC and MODERATE on this machine for development, but no other private targets, since the
    // demo's keys are public.
    PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'loopback',
    PARLEY_MODERATE_ALLOW_PRIVATE_TARGETS: 'loopback',
    // Allows the developer's page to embed the chat from another port.
    PARLEY_GATEWAY_CHAT_FRAME_ANCESTORS: '*',
    PARLEY_FILES_FOLDER: resolve(data, 'files'),
    ...(streamBytes !== undefined && { PARLEY_STREAM_MAX_BYTES: String(streamBytes) }),
    ...process.env,
    PARLEY_MONGO_URL: servers.mongoUrl,
    PARLEY_NATS_URL: servers.natsUrl,
    PARLEY_REDIS_URL: servers.redisUrl,
    PARLEY_MONGO_URL_FILE: '',
    PARLEY_NATS_URL_FILE: '',
    PARLEY_REDIS_URL_FILE: '',
    PARLEY_INTERNAL_PORT: '0',
    PARLEY_GATEWAY_PORT: '0',
    PARLEY_REALTIME_PORT: '0',
    PARLEY_GATEWAY_TRUSTED_PROXIES: '1',
    PARLEY_REALTIME_TRUSTED_PROXIES: '1',
  }
}
