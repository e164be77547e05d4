import { join } from 'node:path'
import { wholeNumber, wholeNumbers } from '@parley/local/whole-number'
import { Command, Option } from 'commander'
import { emptyProfilesFolder, printCpuShares, profilesInto } from './cpu-profile.ts'
import { printTable } from './print-table.ts'
import { saveResults } from './save-results.ts'
import { compare, inMicroseconds, roomIds, type Scene, toRow, users, warmUp } from './send/compare.ts'
import { measureReceiving } from './send/receive.ts'
import { setUp } from './send/setup.ts'
import { measureSockets } from './send/sockets.ts'

const scenes = {
  send: [] as Scene[],
  sizes: [
    { clients: 64, rooms: 16, bytes: 4_096, gateways: 1 },
    { clients: 64, rooms: 16, bytes: 61_440, gateways: 1 },
  ],
  'hot-room': [
    { clients: 64, rooms: 1, bytes: 200, gateways: 1 },
    { clients: 64, rooms: 1, bytes: 200, gateways: 3 },
  ],
  gateways: [{ clients: 64, rooms: 16, bytes: 200, gateways: 2 }],
}
const names = [...Object.keys(scenes), 'receive']

const options = new Command('npm run bench:send --')
  .description(
    `Measures POST /messages against bare insertOne on the same mongod, and against a bare server that only parses a request's JSON,
inserts it, responds, and publishes it to NATS. All run in turns, for the same time and at the same concurrency; the median of the
turns' ratios counts. The CPU time of every process per message is printed too: the rest of the two cores waits for round trips. Then
measures larger messages, one hot room, several gateways, and the latency to a client on a realtime node. With --via socket, measures
sends by socket against POST /messages instead, for 64 and 256 clients, with and without other members who hear them.`,
  )
  .option('--clients <numbers>', 'concurrent clients', wholeNumbers(1, 10_000), [1, 16, 64, 256])
  .option('--rounds <number>', 'turns per measurement', wholeNumber(1, 1_000), 3)
  .option('--seconds <number>', 'length of a turn', wholeNumber(1, 3_600), 4)
  .addOption(new Option('--via <way>', 'how clients send').choices(['rest', 'socket']).default('rest'))
  .addOption(new Option('--scenes <names...>', 'only these, by REST').choices(names).default(names, 'all'))
  .option('--profile', 'also print where the CPU time of gateway and node goes; worsens the ratios')
  .parse()
  .opts<{
    clients: number[]
    rounds: number
    seconds: number
    via: 'rest' | 'socket'
    scenes: string[]
    profile?: true
  }>()
scenes.send = options.clients.map((clients) => ({ clients, rooms: 16, bytes: 200, gateways: 1 }))

const profiles = emptyProfilesFolder()
const nodeProfiles = join(profiles, 'node')
const setup = await setUp(options.profile && profiles)
for (const _id of users) await setup.post('/admin/clients', { _id, issueAccessToken: true })
for (const _id of roomIds) await setup.post('/rooms/', { _id, roomType: 'group', members: users })

await warmUp(setup)
console.log(`${options.rounds} rounds of ${options.seconds} s each\n`)
if (options.via === 'socket') await bySocket()
else await byRest()
await setup.stop()
if (options.profile) printCpuShares('the gateway’s CPU time', profiles)
if (options.profile && options.via === 'socket') printCpuShares('the node’s CPU time', nodeProfiles)

async function byRest(): Promise<void> {
  for (const [name, rows] of Object.entries(scenes)) {
    if (!options.scenes.includes(name)) continue
    const compared = []
    for (const scene of rows) compared.push(await compare(setup, scene, options))
    printTable(compared.map(toRow))
    saveResults(name === 'send' ? name : `send-${name}`, compared)
  }
  if (!options.scenes.includes('receive')) return
  console.log('\nfrom the first byte of the request to the event at a stock client on a realtime node')
  const rows = await measureReceiving(setup, options.seconds)
  printTable(rows.map((row) => ({ ...row })))
  saveResults('send-receive', rows)
}

async function bySocket(): Promise<void> {
  const env = options.profile ? { NODE_OPTIONS: profilesInto(nodeProfiles) } : {}
  const rows = await measureSockets(setup, { ...options, env })
  printTable(rows.map(({ cpuMicrosecondsPerMessage: cpu, ...row }) => ({ ...row, ...inMicroseconds(cpu) })))
  saveResults('send-sockets', rows)
}
