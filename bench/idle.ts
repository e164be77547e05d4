import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connectDb, type Db } from '@parley/db/connect'
import { wholeNumber } from '@parley/local/whole-number'
import { Command, Option } from 'commander'
import { cpuSeconds, residentKiB } from './process-usage.ts'
import { saveResults } from './save-results.ts'

const options = new Command('npm run bench:idle --')
  .description(
    `Measures the idle stack: starts it with npm start, lets it settle, then measures the CPU time and memory of each process
and the commands that MongoDB gets. Exit code 1 if a goal is missed.`,
  )
  // V8 compiles the idle code and shrinks the heap in the first minutes, which takes half as much again.
  .option('--settle <seconds>', 'wait before the measurement', wholeNumber(1, 3_600), 180)
  .option('--seconds <number>', 'length of the measurement', wholeNumber(5, 3_600), 45)
  .option('--gateways <number>', 'number of api-gateways', wholeNumber(1, 16), 2)
  .option('--realtime <number>', 'number of realtime nodes', wholeNumber(1, 16), 2)
  .addOption(new Option('--single', 'all services in one process').conflicts(['gateways', 'realtime']))
  .option('--root <directory>', 'the checkout to start, to compare two', join(import.meta.dirname, '..'))
  .option('--profile', "afterwards list which process reads which collection, from MongoDB's profiler")
  .parse()
  .opts<{
    settle: number
    seconds: number
    gateways: number
    realtime: number
    single?: true
    root: string
    profile?: true
  }>()

const wanted = { millicores: 80, queriesPerSecond: 4 }
/** Commands of drivers and clock checks, which read no documents. */
const isNoQuery = (command: string) => ['hello', 'ping', 'isMaster', 'serverStatus', 'endSessions'].includes(command)

const data = await mkdtemp(join(tmpdir(), 'parley-bench-idle-'))
const stack = await startStack()
const db = await connectDb(stack.mongoUrl, { appName: 'bench' })
try {
  console.log(`· The stack runs; settling for ${options.settle} s`)
  await pause(options.settle * 1_000)
  const measured = await measure(db, stack.child)
  report(measured)
  if (options.profile) await profile(db)
} finally {
  await db.client.close()
  stack.child.kill('SIGTERM')
  await once(stack.child, 'exit')
  await rm(data, { recursive: true })
}

async function startStack(): Promise<{ child: ChildProcess; mongoUrl: string }> {
  const { gateways, realtime, single, root } = options
  const counts = single ? ['--single'] : ['--gateways', String(gateways), '--realtime', String(realtime)]
  const args = [join(root, 'local/src/start.ts'), '--port', '0', '--data', data, ...counts]
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += chunk.toString()
    if (text.includes('Ctrl-C stops everything')) break
  }
  child.stdout.resume()
  const mongoUrl = /mongodb:\/\/\S+/.exec(text)?.[0]
  if (mongoUrl === undefined) throw new Error(`npm start did not start:\n${text}`)
  return { child, mongoUrl }
}

interface Measured {
  /** CPU time by process, in thousandths of a core. */
  millicores: Map<string, number>
  /** Resident memory by process, in MiB. */
  memoryMiB: Map<string, number>
  /** Commands per second, by name. */
  commands: Map<string, number>
}

async function measure(of: Db, child: ChildProcess): Promise<Measured> {
  const processes = [child.pid ?? 0, ...descendantsOf(child.pid ?? 0)].map((pid) => ({ pid, name: nameOf(pid) }))
  const cpuBefore = processes.map(({ pid }) => cpuSeconds(pid))
  const commandsBefore = await countCommands(of)
  const sinceMS = performance.now()
  await pause(options.seconds * 1_000)
  const commandsAfter = await countCommands(of)
  const seconds = (performance.now() - sinceMS) / 1_000
  const used = processes.map(({ pid, name }, i) => {
    return [name, ((cpuSeconds(pid) - (cpuBefore[i] ?? 0)) / seconds) * 1_000] as const
  })
  const rates = [...commandsAfter].map(([name, count]) => {
    return [name, (count - (commandsBefore.get(name) ?? 0)) / seconds] as const
  })
  const memoryMiB = new Map(processes.map(({ pid, name }) => [name, residentKiB(pid) / 1_024]))
  return { millicores: new Map(used), memoryMiB, commands: new Map(rates.filter(([, rate]) => rate > 0)) }
}

/** How often each command was run since MongoDB started. */
async function countCommands({ mongo }: Db): Promise<Map<string, number>> {
  const status = await mongo.admin().command({ serverStatus: 1 })
  const commands = (status['metrics'] as { commands: Record<string, { total?: unknown }> }).commands
  return new Map(Object.entries(commands).map(([name, { total }]) => [name, Number(total ?? 0)]))
}

function report({ millicores, memoryMiB, commands }: Measured): void {
  const list = (rows: Iterable<readonly [string, number]>, digits: number) => {
    for (const [name, value] of [...rows].toSorted(([, a], [, b]) => b - a)) row(name, value, digits)
  }
  console.log(`\nIdle for ${options.seconds} s: millicores`)
  list(millicores, 1)
  const cpu = sum(millicores.values())
  row('together', cpu, 1)
  console.log('\nResident memory, MiB')
  list(memoryMiB, 0)
  row('together', sum(memoryMiB.values()), 0)
  console.log('\nMongoDB commands per second')
  list(commands, 2)
  const queries = sum([...commands].filter(([name]) => !isNoQuery(name)).map(([, rate]) => rate))
  row('queries and writes', queries, 2)
  const result = Object.fromEntries(
    Object.entries({ millicores, memoryMiB, commands }).map(([name, values]) => [name, Object.fromEntries(values)]),
  )
  saveResults(options.single ? 'idle-single' : 'idle', result)
  console.log(`\ngoal: ${wanted.millicores} millicores, ${wanted.queriesPerSecond} queries per second`)
  process.exitCode = cpu <= wanted.millicores && queries <= wanted.queriesPerSecond ? 0 : 1
}

/** Prints commands by collection, kind and process, from MongoDB's profiler. */
async function profile({ mongo }: Db): Promise<void> {
  await mongo.command({ profile: 2 })
  const seconds = 20
  await pause(seconds * 1_000)
  await mongo.command({ profile: 0 })
  const rows = await mongo
    .collection('system.profile')
    .aggregate<{ _id: Record<string, string>; count: number }>([
      { $match: { ns: { $not: /system\.profile/ }, appName: { $ne: 'bench' } } },
      { $set: { name: { $arrayElemAt: [{ $objectToArray: '$command' }, 0] } } },
      { $group: { _id: { ns: '$ns', name: '$name.k', process: '$appName' }, count: { $sum: 1 } } },
      { $sort: { count: -1 } },
    ])
    .toArray()
  console.log('\nCommands per second, from the profiler')
  for (const { _id, count } of rows) row(Object.values(_id).join('  '), count / seconds, 2)
}

function row(name: string, value: number, digits: number): void {
  console.log(`  ${name.padEnd(60)}${value.toFixed(digits).padStart(9)}`)
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0)
}

function descendantsOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`)
  const children = threads.flatMap(
    (thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').match(/\d+/g) ?? [],
  )
  return children.map(Number).concat(children.flatMap((child) => descendantsOf(Number(child))))
}

/** The node ID of a service, the program name of any other process. */
function nameOf(pid: number): string {
  const node = /PARLEY_NODE_ID=([^\0]+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1]
  const [program = '', script = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  return node ?? (script.endsWith('start.ts') ? 'npm start, with its front' : (program.split('/').at(-1) ?? program))
}
