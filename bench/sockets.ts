import { setTimeout as pause } from 'node:timers/promises'
import { wholeNumber } from '@parley/local/whole-number'
import { Command } from 'commander'
import { now } from './fanout/event.ts'
import { quantile } from './quantile.ts'
import { saveResults } from './save-results.ts'
import { type Crowds, startCrowds } from './sockets/crowds.ts'
import { kernelKiB, type Nodes, startNodes } from './sockets/nodes.ts'
import { type Setup, setUp } from './sockets/setup.ts'
import { openStock } from './sockets/stock.ts'

const options = new Command('npm run bench:sockets --')
  .description(
    `Measures authenticated connections over several realtime nodes: memory and idle CPU, a message to a room of all users, steady
messages to rooms of a hundred, a killed node, and a rolling update of all nodes. Every client checks by seq that it missed nothing. Some
clients are stock socket.io-clients. Prints tables and writes bench/results/sockets.json.`,
  )
  .option('--sockets <number>', 'connections', wholeNumber(100, 100_000), 100_000)
  .option('--nodes <number>', 'realtime nodes', wholeNumber(2, 100), 6)
  .option('--rate <number>', 'messages per second to the rooms of a hundred', wholeNumber(1, 10_000), 200)
  .option('--seconds <number>', 'length of each measurement', wholeNumber(1, 600), 15)
  .parse()
  .opts<{ sockets: number; nodes: number; rate: number; seconds: number }>()
const log = (line: string) => console.log(`· ${line}`)
const stockClients = 5
/** Concurrent connection attempts per client process. */
const atOnce = 50
const idleSeconds = 30
const longestMS = 300_000

type Results = Record<string, number>

const setup = await setUp(options.sockets, log)
const nodes = await startNodes(setup, options.nodes)
const results: Results = { ...options, ...setup.roomOfAll }
const step = (more: Results) => {
  Object.assign(results, more)
  for (const [name, value] of Object.entries(more)) log(`${name}: ${Number(value.toFixed(2))}`)
}
try {
  const crowds = await startCrowds(setup.clients)
  const stock = openStock(setup, nodes.ports()[0] ?? 0, stockClients)
  await stock.ready
  step(await measureConnecting(setup, nodes, crowds))
  step(await measureRoomOfAll(setup, nodes, crowds))
  step(await measureRooms(setup, crowds))
  step(await measureKill(setup, nodes, crowds))
  step(await measureUpdate(setup, nodes, crowds))
  await allReceived(setup, crowds)
  step({ missing: await crowds.missing(setup.lastSeqs), lostConnections: (await crowds.report()).lost })
  step({ stockHeard: stock.heard() })
  stock.close()
  await crowds.stop()
} finally {
  await nodes.stop()
  await setup.gateway.stop()
  await setup.servers.stop()
}
saveResults('sockets', results)

async function measureConnecting({ keys, clients }: Setup, nodes: Nodes, crowds: Crowds): Promise<Results> {
  const before = { user: nodes.residentKiB(), kernel: kernelKiB(), atMS: performance.now() }
  await crowds.connect({ ports: nodes.ports(), clientKey: keys.clientKey, clients, atOnce })
  const seconds = (performance.now() - before.atMS) / 1_000
  await pause(5_000)
  const cpu = nodes.cpuSeconds()
  await pause(idleSeconds * 1_000)
  const { sockets } = options
  return {
    connectSeconds: seconds,
    userKiBPerSocket: (nodes.residentKiB() - before.user) / sockets,
    // Halved: both ends of each connection are on this machine.
    kernelKiBPerSocket: (kernelKiB() - before.kernel) / sockets / 2,
    idleCores: (nodes.cpuSeconds() - cpu) / idleSeconds,
  }
}

async function measureRoomOfAll(setup: Setup, nodes: Nodes, crowds: Crowds): Promise<Results> {
  const { got } = await crowds.report()
  const before = { nodes: nodes.cpuSeconds(), clients: crowds.cpuSeconds() }
  await setup.send('all', `at ${now()}`)
  // Looking for gaps takes the processes of clients some of the time that is measured.
  await until(async () => (await crowds.counts()).got >= got + options.sockets)
  const perSocket = (seconds: number) => (seconds * 1e6) / options.sockets
  const cpu = {
    roomOfAllNodesMicros: perSocket(nodes.cpuSeconds() - before.nodes),
    roomOfAllClientsMicros: perSocket(crowds.cpuSeconds() - before.clients),
  }
  await allReceived(setup, crowds)
  const { lateMS } = await crowds.report()
  return {
    roomOfAllLastMS: lateMS.toSorted((a, b) => a - b).at(-1) ?? Number.NaN,
    roomOfAllMedianMS: quantile(lateMS, 0.5),
    ...cpu,
  }
}

async function measureRooms(setup: Setup, crowds: Crowds): Promise<Results> {
  await crowds.report()
  await sendFor(setup, options.seconds * 1_000, options.rate)
  await allReceived(setup, crowds)
  const { lateMS } = await crowds.report()
  const [roomsP50MS, roomsP99MS] = [quantile(lateMS, 0.5), quantile(lateMS, 0.99)]
  return { roomsDeliveries: lateMS.length, roomsP50MS, roomsP99MS }
}

async function measureKill(setup: Setup, nodes: Nodes, crowds: Crowds): Promise<Results> {
  const lost = (await crowds.report()).lost
  const begunMS = performance.now()
  await crowds.use(nodes.ports().slice(1))
  await nodes.kill()
  const sending = sendFor(setup, 5_000, 20)
  await nodes.startAnother()
  await crowds.use(nodes.ports())
  await until(async () => {
    const report = await crowds.report()
    return report.lost > lost && report.connected === options.sockets
  })
  const backSeconds = (performance.now() - begunMS) / 1_000
  await sending
  await allReceived(setup, crowds)
  return { killedSockets: (await crowds.report()).lost - lost, killedBackSeconds: backSeconds }
}

async function measureUpdate(setup: Setup, nodes: Nodes, crowds: Crowds): Promise<Results> {
  const begunMS = performance.now()
  const count = nodes.ports().length
  for (let n = 0; n < count; n++) {
    const { drained } = await nodes.replaceFirst()
    await crowds.use(nodes.ports())
    await Promise.all([drained, sendFor(setup, 2_000, 20)])
    await until(async () => (await crowds.report()).connected === options.sockets)
  }
  await allReceived(setup, crowds)
  return { updateSeconds: (performance.now() - begunMS) / 1_000 }
}

/** Sends to the rooms of a hundred in turn, and sometimes to the room of all, on a fixed schedule. */
async function sendFor(setup: Setup, ms: number, perSecond: number): Promise<void> {
  const { rooms, send } = setup
  const sent: Promise<void>[] = []
  const count = (ms * perSecond) / 1_000
  let dueMS = now()
  for (let n = 0; n < count; n++) {
    sent.push(send(rooms[n % rooms.length] ?? '', `at ${now()}`))
    dueMS += 1_000 / perSecond
    await pause(Math.max(0, dueMS - now()))
  }
  await Promise.all(sent)
}

/** Waits until no client misses a message. */
async function allReceived({ lastSeqs }: Setup, crowds: Crowds): Promise<void> {
  await until(async () => (await crowds.missing(lastSeqs)) === 0)
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const endMS = performance.now() + longestMS; !(await condition()); ) {
    if (performance.now() > endMS) throw new Error(`messages are still missing after ${longestMS / 1_000} s`)
    await pause(50)
  }
}
