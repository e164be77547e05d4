import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { StackError } from '@parley/stack/stack-error'
import { startServers } from '@parley/stack/up'
import { Command, InvalidArgumentError } from 'commander'
import { lockData } from './data-lock.ts'
import { makeDemoApp, makeDemoRoom } from './demo-app.ts'
import { openFront } from './front.ts'
import { type ServiceProcess, startService } from './service-process.ts'
import { welcome } from './welcome.ts'

/** `npm start`: the whole of Parley on this machine, until Ctrl-C. Everything it starts ends with it. */
const root = join(import.meta.dirname, '../..')

const options = new Command('npm start --')
  .description('Runs Parley on this machine: MongoDB, NATS, Redis, and all services behind one port.')
  .option('--port <number>', 'the port of REST and Socket.IO; 0 takes a free one', wholeNumber(0, 65_535), 8080)
  .option('--gateways <number>', 'how many api-gateways', wholeNumber(1, 16), 1)
  .option('--realtime <number>', 'how many realtime nodes', wholeNumber(1, 16), 2)
  .option('--data <directory>', 'where everything is kept between starts', join(root, '.parley/data'))
  .option('--fresh', 'forget all data first')
  .parse()
  .opts<{ port: number; gateways: number; realtime: number; data: string; fresh?: true }>()

const host = '127.0.0.1'
const data = relative(process.cwd(), options.data) || options.data
const stops: (() => Promise<unknown>)[] = []
let isEnding = false

process.on('SIGINT', () => void end(0))
process.on('SIGTERM', () => void end(0))
process.on('SIGHUP', () => void end(0))
if (process.env.npm_lifecycle_event === 'start') endWithNpm()

try {
  await start()
} catch (error) {
  if (!isEnding) {
    if (!(error instanceof StackError)) console.error(error)
    await end(1, error instanceof StackError ? error.message : 'Parley could not be started.')
  }
}

async function start(): Promise<void> {
  const since = performance.now()
  const front = await openFront(host, options.port)
  const baseUrl = `http://${host}:${front.port}`
  stops.push(() => front.close())
  await lockData(options.data)
  if (options.fresh) rmSync(options.data, { recursive: true, force: true })

  const servers = await startServers({ dir: options.data, onProgress: say })
  stops.push(() => servers.stop())
  const { mongo, nats, redis } = servers
  for (const [title, server] of Object.entries({ MongoDB: mongo, NATS: nats, Redis: redis })) {
    server.onExit((how) => void end(1, `${title} ${how}`))
  }
  await makeDemoApp(servers.mongoUrl)

  const services: ServiceProcess[] = []
  stops.push(() => Promise.all(services.map((service) => service.stop())))
  const env = {
    PARLEY_DRAIN_MS: '5000',
    // Whoever tries webhooks and PUSH_GENERIC here has their server on this machine.
    PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'true',
    ...process.env,
    PARLEY_MONGO_URL: servers.mongoUrl,
    PARLEY_NATS_URL: servers.natsUrl,
    PARLEY_REDIS_URL: servers.redisUrl,
    PARLEY_INTERNAL_PORT: '0',
    PARLEY_GATEWAY_PORT: '0',
    PARLEY_REALTIME_PORT: '0',
    PARLEY_REALTIME_TRUSTED_PROXIES: '1',
  }
  const waitingFor = new Set<string>()
  const begin = async (service: string, number: number) => {
    const name = `${service}-${number}`
    const logFile = join(options.data, 'logs', `${name}.log`)
    waitingFor.add(name)
    const launch = { service, name, logFile, env: { ...env, PARLEY_NODE_ID: name } }
    services.push(await startService(launch, (sentence) => void end(1, sentence)))
    waitingFor.delete(name)
    say(`${name}: ready`)
  }
  const each = (service: string, count: number) => Array.from({ length: count }, (_, i) => begin(service, i + 1))
  const all = [...each('api-gateway', options.gateways), ...each('realtime', options.realtime)]
  say('Services: starting')
  const reminder = setInterval(() => say(`Still waiting for ${[...waitingFor].join(', ')}`), 5_000)
  await Promise.all([...all, ...each('push', 1), ...each('stats', 1)]).finally(() => clearInterval(reminder))

  services.sort((a, b) => a.name.localeCompare(b.name))
  const httpPorts = (service: string) =>
    services.filter(({ name }) => name.startsWith(service)).flatMap(({ ports }) => ports.http ?? [])
  front.balance({ gateways: httpPorts('api-gateway'), realtime: httpPorts('realtime') })
  await makeDemoRoom(baseUrl)
  if (!isEnding) console.log(welcome({ baseUrl, services, data, seconds: (performance.now() - since) / 1_000 }))
}

/** Stops everything in the reverse order of its start, once, and ends this process. */
async function end(exitCode: number, sentence?: string): Promise<void> {
  if (isEnding) return
  isEnding = true
  if (sentence) console.error(`\n${sentence}`)
  if (stops.length > 0) say('Stopping')
  for (const stop of stops.toReversed()) {
    await stop().catch((error: unknown) => console.error(error instanceof Error ? error.message : error))
  }
  if (stops.length > 0) say('Everything is stopped')
  process.exit(exitCode)
}

/** npm killed by SIGKILL passes nothing on: the shell that it ran us by is left, with another parent. */
function endWithNpm(): void {
  const shell = process.ppid
  const npm = parentOf(shell)
  setInterval(() => {
    if (process.ppid !== shell || parentOf(shell) !== npm) void end(1, 'npm is gone.')
  }, 500).unref()
}

/** Undefined where there is no /proc, and when the process is gone. */
function parentOf(pid: number): string | undefined {
  const status = `/proc/${pid}/status`
  return existsSync(status) ? /^PPid:\s*(\d+)$/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined
}

function say(line: string): void {
  console.log(`· ${line}`)
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (Number.isInteger(number) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}
