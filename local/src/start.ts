import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { connectDb, usingDb } from '@parley/db/connect'
import { migrate, migrateTimeoutMS } from '@parley/db/migrate'
import { OldSchemaError } from '@parley/db/schema'
import { checkRights, rightsOfMigration } from '@parley/db/server/check-rights'
import { explain } from '@parley/service/explain'
import { SettingsError } from '@parley/service/settings'
import { mongoSettings } from '@parley/service/shared-settings'
import { StackError } from '@parley/stack/stack-error'
import { startServers } from '@parley/stack/up'
import { Command, Option } from 'commander'
import { prepareData, smallerStreamBytes } from './data-folder.ts'
import { lockData } from './data-lock.ts'
import { makeDemoApp, makeDemoRoom } from './demo-app.ts'
import { createFirstPage } from './first-page.ts'
import { openFront } from './front.ts'
import { makeSignInLink } from './local-operator.ts'
import { runServices } from './run-services.ts'
import { startAgain } from './start-again.ts'
import { welcome } from './welcome.ts'
import { wholeNumber } from './whole-number.ts'

/** `npm start`: runs all of Parley on this machine until Ctrl-C. Everything it starts ends with it. */
const root = join(import.meta.dirname, '../..')

const options = new Command('npm start --')
  .description('Runs Parley on this machine: MongoDB, NATS, Redis, and all services behind one port.')
  .option('--port <number>', 'the port of REST and Socket.IO; 0 takes a free one', wholeNumber(0, 65_535), 8080)
  .option('--gateways <number>', 'number of api-gateways', wholeNumber(1, 16), 2)
  .option('--realtime <number>', 'number of realtime nodes', wholeNumber(1, 16), 2)
  .addOption(
    new Option('--single', 'all services in one process, for small installations').conflicts(['gateways', 'realtime']),
  )
  .addOption(
    new Option('--data <directory>', 'folder for all data').default(join(root, '.parley/data'), '.parley/data'),
  )
  .option('--fresh', 'delete all data first')
  .option('--demo', 'create the demo app, whose keys are public, even in the database of PARLEY_MONGO_URL')
  .parse()
  .opts<{ port: number; gateways: number; realtime: number; single?: true; data: string; fresh?: true; demo?: true }>()

const host = '127.0.0.1'
/** A database from the environment gets the public demo keys only on request. */
const hasDemo = options.demo === true || !(process.env.PARLEY_MONGO_URL || process.env.PARLEY_MONGO_URL_FILE)
const data = relative(process.cwd(), options.data) || options.data
const stops: (() => Promise<unknown>)[] = []
const ending = new AbortController()

/** Restart options of all processes. */
const keeping = { say, giveUp: (sentence: string) => void end(1, sentence), signal: ending.signal }

// The reader of a pipe, such as tee, may end first.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
process.on('SIGINT', () => void end(0))
process.on('SIGTERM', () => void end(0))
process.on('SIGHUP', () => void end(0))
if (process.env.npm_lifecycle_event === 'start') endWithNpm()

try {
  await start()
} catch (error) {
  if (!ending.signal.aborted) {
    const isForUser = error instanceof StackError || error instanceof SettingsError || error instanceof OldSchemaError
    if (!isForUser) console.error(error)
    await end(1, isForUser ? error.message : 'Parley could not be started.')
  }
}

async function start(): Promise<void> {
  const since = performance.now()
  const front = await openFront(host, options.port)
  const baseUrl = `http://${host}:${front.port}`
  stops.push(() => front.close())
  await lockData(options.data)
  await prepareData(options.data, options.fresh === true)

  const servers = await startServers({ dir: options.data, onProgress: say })
  stops.push(() => servers.stop())
  const { mongo, nats, redis } = servers
  for (const [title, server] of Object.entries({ MongoDB: mongo, NATS: nats, Redis: redis })) {
    const onDeath = startAgain({ name: title, start: () => server.restart(), ...keeping })
    server.onExit((how) => void onDeath(`${title} ${how}.`))
  }
  const streamBytes = nats.dir === undefined ? undefined : smallerStreamBytes(nats.dir)
  if (streamBytes !== undefined && !process.env['PARLEY_STREAM_MAX_BYTES']) {
    const [has, whole] = [streamBytes, 8 * 1024 ** 3].map((bytes) => (bytes / 1024 ** 3).toFixed(1))
    say(`The disk is small: NATS keeps events up to ${has} GiB instead of ${whole}`)
  }
  await migrateDb(servers.mongoUrl)
  if (hasDemo) await makeDemoApp(servers.mongoUrl)

  const { gateways, realtime, single } = options
  const counts = single ? { 'all-in-one': 1 } : { 'api-gateway': gateways, realtime, push: 1, stats: 1 }
  const onStop = (stop: () => Promise<unknown>) => void stops.push(stop)
  const services = await runServices({
    servers,
    front,
    baseUrl,
    counts,
    data: options.data,
    streamBytes,
    keeping,
    onStop,
  })
  if (hasDemo) {
    await makeDemoRoom(baseUrl)
    front.serve(createFirstPage(baseUrl, services))
  }
  const signInLink = hasDemo ? await makeSignInLink(servers.mongoUrl, baseUrl) : undefined
  const seconds = (performance.now() - since) / 1_000
  const serverUrls = { ...(mongo.dir && { MongoDB: mongo.url }), ...(nats.dir && { NATS: nats.url }) }
  if (!ending.signal.aborted)
    console.log(welcome({ baseUrl, services: services(), data, seconds, signInLink, serverUrls }))
}

/** @throws SettingsError if MongoDB is not reached, or cannot run Parley */
async function migrateDb(url: string): Promise<void> {
  const explained = <T>(work: Promise<T>) => explain('MongoDB', [mongoSettings.mongoUrl], work)
  const connecting = connectDb(url, { appName: 'parley-start', timeoutMS: migrateTimeoutMS })
  await usingDb(explained(connecting), async (db) => {
    await explained(checkRights(db, rightsOfMigration))
    await migrate(db, { onProgress: (line) => say(`Schema: ${line}`) })
  })
}

/** Stops everything in reverse order of its start, once, and exits. */
async function end(exitCode: number, sentence?: string): Promise<void> {
  if (ending.signal.aborted) return
  ending.abort()
  if (sentence) console.error(`\n${sentence}`)
  if (stops.length > 0) say('Stopping')
  for (const stop of stops.toReversed()) {
    await stop().catch((error: unknown) => console.error(error instanceof Error ? error.message : error))
  }
  if (stops.length > 0) say('Everything is stopped')
  process.exit(exitCode)
}

/** Stops everything when npm is killed. SIGKILL is not forwarded: the shell between npm and this process stays, with another parent. */
function endWithNpm(): void {
  const shell = process.ppid
  const npm = parentOf(shell)
  setInterval(() => {
    if (process.ppid !== shell || parentOf(shell) !== npm) void end(1, 'npm is gone.')
  }, 500).unref()
}

/** Undefined without /proc, or if the process is gone. */
function parentOf(pid: number): string | undefined {
  const status = `/proc/${pid}/status`
  return existsSync(status) ? /^PPid:\s*(\d+)$/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined
}

function say(line: string): void {
  console.log(`· ${line}`)
}
