import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type DemoKeys, makeApp } from '@parley/local/make-app'
import { type ServiceProcess, startService } from '@parley/local/service-process'
import { ownServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { io, type Socket } from 'socket.io-client'

type ServiceName = 'api-gateway' | 'realtime' | 'push' | 'stats'

export interface RunningService extends ServiceProcess {
  /** Its public address, where it has one. */
  url: string
  logFile: string
  /** `kill -9`; settles when the process is gone. */
  kill(): Promise<void>
}

/** Real servers and services of a test's own, as processes that it may kill. */
export interface Platform extends DemoKeys {
  servers: Servers
  start(service: ServiceName, env?: NodeJS.ProcessEnv): Promise<RunningService>
  stop(): Promise<void>
}

export async function startPlatform({
  logs = join(import.meta.dirname, '../.parley/test-logs'),
} = {}): Promise<Platform> {
  const servers = await ownServers()
  const keys = await makeApp(servers.mongoUrl, `app ${randomUUID()}`)
  const running = new Set<RunningService>()
  let started = 0

  async function start(service: ServiceName, env: NodeJS.ProcessEnv = {}): Promise<RunningService> {
    const name = `${service}-${++started}`
    const gone = Promise.withResolvers<void>()
    const logFile = join(logs, `${randomUUID()}-${name}.log`)
    const process_ = await startService(
      {
        service,
        name,
        logFile,
        env: {
          PATH: process.env['PATH'],
          PARLEY_MONGO_URL: servers.mongoUrl,
          PARLEY_NATS_URL: servers.natsUrl,
          PARLEY_REDIS_URL: servers.redisUrl,
          PARLEY_NODE_ID: name,
          PARLEY_INTERNAL_PORT: '0',
          PARLEY_GATEWAY_PORT: '0',
          PARLEY_REALTIME_PORT: '0',
          PARLEY_DRAIN_MS: '2000',
          ...env,
        },
      },
      () => gone.resolve(),
    )
    const service_: RunningService = {
      ...process_,
      logFile,
      url: `http://127.0.0.1:${process_.ports['http']}`,
      kill: async () => {
        running.delete(service_)
        process.kill(process_.pid, 'SIGKILL')
        await gone.promise
      },
      stop: async () => {
        running.delete(service_)
        await process_.stop()
      },
    }
    running.add(service_)
    return service_
  }

  return {
    ...keys,
    servers,
    start,
    async stop() {
      await Promise.all([...running].map((service) => service.stop()))
      await servers.stop()
    },
  }
}

export type Answer = { status: number; body: { RC: number; result: Record<string, unknown> } }

/** One call to a gateway. Fails when nobody answers. */
export async function call(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    signal: AbortSignal.timeout(60_000),
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

/** Connects a stock client, authenticated; `encoding` by `conf`. */
export async function connectClient(
  url: string,
  token: string,
  options: { transports?: string[]; deviceId?: string; encoding?: string } = {},
): Promise<Socket> {
  const { transports = ['websocket'], deviceId, encoding } = options
  const socket = io(url, { transports, reconnection: false, forceNew: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  if (encoding !== undefined) await socket.emitWithAck('conf', { encoding })
  const answer = await socket.emitWithAck('auth2', token, { deviceId })
  if (answer.RC !== 0) throw new Error(`auth2: ${JSON.stringify(answer)}`)
  return socket
}

/** Settles when `condition` answers something truthy, asked again and again; fails after `seconds`. */
export async function eventually<T>(
  what: string,
  condition: () => T | Promise<T>,
  seconds = 20,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + seconds * 1000
  for (;;) {
    const answer = await condition()
    if (answer) return answer
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
