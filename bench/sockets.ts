import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { wholeNumber } from '@parley/local/whole-number'
import { Command } from 'commander'
import { now } from './fanout/event.ts'
import { quantile } from './quantile.ts'
import { type Crowds, startCrowds } from './sockets/crowds.ts'
import { type Ground, prepareGround } from './sockets/ground.ts'
import { kernelKiB, type Nodes, startNodes } from './sockets/nodes.ts'
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
const say = (line: string) => console.log(`· ${line}`)
const stockClients = 5
/** Concurrent connection attempts per client process. */
const atOnce = 50
const idleSeconds = 30
const longestMS = 300_000

type Results = Record<string, number>

const ground = await prepareGround(options.sockets, say)
const nodes = await startNodes(ground, options.nodes)
const results: Results = { ...options, ...ground.roomOfAll }
const step = (more: Results) => {
  Object.assign(results, more)
  for (const [name, value] of Object.entries(more)) say(`${name}: ${Number(value.toFixed(2))}`)
}
try {
  const crowds = await startCrowds(ground.clients)
  const stock = openStock(ground, nodes.ports()[0] ?? 0, stockClients)
  await stock.ready
  step(await measureConnecting(ground, nodes, crowds))
  step(await measureRoomOfAll(ground, crowds))
  step(await measureRooms(ground, crowds))
  step(await measureKill(ground, nodes, crowds))
  step(await measureUpdate(ground, nodes, crowds))
  await everybodyHas(ground, crowds)
  step({ missing: await crowds.missing(ground.lastSeqs), lostConnections: (await crowds.report()).lost })
  step({ stockHeard: stock.heard() })
  stock.close()
  await crowds.stop()
} finally {
  await nodes.stop()
  await ground.gateway.stop()
  await ground.servers.stop()
}
mkdirSync(join(import.meta.dirname, 'results'), { recursive: true })
writeFileSync(join(import.meta.dirname, 'results/sockets.json'), `${JSON.stringify(results, null, 2)}\n`)

async function measureConnecting({ keys, clients }: Ground, nodes: Nodes, crowds: Crowds): Promise<Results> {
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

async function measureRoomOfAll(ground: Ground, crowds: Crowds): Promise<Results> {
  const { got } = await crowds.report()
  await ground.send('all', `at ${now()}`)
  // Looking for gaps takes the processes of clients some of the time that is measured.
  await until(async () => (await crowds.look()).got >= got + options.sockets)
  await everybodyHas(ground, crowds)
  const { lateMS } = await crowds.report()
  return {
    roomOfAllLastMS: lateMS.toSorted((a, b) => a - b).at(-1) ?? Number.NaN,
    roomOfAllMedianMS: quantile(lateMS, 0.5),
  }
}

async function measureRooms(ground: Ground, crowds: Crowds): Promise<Results> {
  await crowds.report()
  await sendFor(ground, options.seconds * 1_000, options.rate)
  await everybodyHas(ground, crowds)
  const { lateMS } = await crowds.report()
  const [roomsP50MS, roomsP99MS] = [quantile(lateMS, 0.5), quantile(lateMS, 0.99)]
  return { roomsDeliveries: lateMS.length, roomsP50MS, roomsP99MS }
}

async function measureKill(ground: Ground, nodes: Nodes, crowds: Crowds): Promise<Results> {
  const lost = (await crowds.report()).lost
  const begunMS = performance.now()
  await crowds.use(nodes.ports().slice(1))
  await nodes.kill()
  const sending = sendFor(ground, 5_000, 20)
  await nodes.startAnother()
  await crowds.use(nodes.ports())
  await until(async () => {
    const report = await crowds.report()
    return report.lost > lost && report.connected === options.sockets
  })
  const backSeconds = (performance.now() - begunMS) / 1_000
  await sending
  await everybodyHas(ground, crowds)
  return { killedSockets: (await crowds.report()).lost - lost, killedBackSeconds: backSeconds }
}

async function measureUpdate(ground: Ground, nodes: Nodes, crowds: Crowds): Promise<Results> {
  const begunMS = performance.now()
  const count = nodes.ports().length
  for (let n = 0; n < count; n++) {
    const { drained } = await nodes.replaceFirst()
    await crowds.use(nodes.ports())
    await Promise.all([drained, sendFor(ground, 2_000, 20)])
    await until(async () => (await crowds.report()).connected === options.sockets)
  }
  await everybodyHas(ground, crowds)
  return { updateSeconds: (performance.now() - begunMS) / 1_000 }
}

/** Sends to the rooms of a hundred in turn, and sometimes to the room of all, on a fixed schedule. */
async function sendFor(ground: Ground, ms: number, perSecond: number): Promise<void> {
  const { rooms, send } = ground
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
async function everybodyHas({ lastSeqs }: Ground, crowds: Crowds): Promise<void> {
  await until(async () => (await crowds.missing(lastSeqs)) === 0)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const endMS = performance.now() + longestMS; !(await isSo()); ) {
    if (performance.now() > endMS) throw new Error(`messages are still missing after ${longestMS / 1_000} s`)
    await pause(50)
  }
}
