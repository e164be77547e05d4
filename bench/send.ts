import { wholeNumber, wholeNumbers } from '@parley/local/whole-number'
import { Command, Option } from 'commander'
import { emptyProfilesFolder, printCpuShares } from './cpu-profile.ts'
import { saveResults } from './save-results.ts'
import { compare, heading, roomIds, type Scene, toLine, users, warmUp } from './send/compare.ts'
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
const names = [...Object.keys(scenes), 'receive', 'sockets']

const options = new Command('npm run bench:send --')
  .description(
    `Measures POST /messages against bare insertOne on the same mongod, and against a bare server that only parses a request's JSON,
inserts it, responds, and publishes it to NATS. All run in turns, for the same time and at the same concurrency; the median of the
turns' ratios counts. The CPU time of every process per message is printed too: the rest of the two cores waits for round trips. Then
measures larger messages, one hot room, several gateways, the latency to a client on a realtime node, and sends by socket against
sends by REST.`,
  )
  .option('--clients <numbers>', 'concurrent clients', wholeNumbers(1, 10_000), [1, 16, 64, 256])
  .option('--rounds <number>', 'turns per measurement', wholeNumber(1, 1_000), 3)
  .option('--seconds <number>', 'length of a turn', wholeNumber(1, 3_600), 4)
  .addOption(new Option('--scenes <names...>', 'only these').choices(names).default(names, 'all'))
  .option('--profile', "also print where the gateway's CPU time goes; worsens the ratios")
  .parse()
  .opts<{ clients: number[]; rounds: number; seconds: number; scenes: string[]; profile?: true }>()
scenes.send = options.clients.map((clients) => ({ clients, rooms: 16, bytes: 200, gateways: 1 }))

const profiles = emptyProfilesFolder()
const setup = await setUp(options.profile && profiles)
for (const _id of users) await setup.post('/admin/clients', { _id, issueAccessToken: true })
for (const _id of roomIds) await setup.post('/rooms/', { _id, roomType: 'group', members: users })

await warmUp(setup)
console.log(`${options.rounds} rounds of ${options.seconds} s each\n\n${heading}`)
for (const [name, rows] of Object.entries(scenes)) {
  if (!options.scenes.includes(name)) continue
  const compared = []
  for (const scene of rows) {
    const row = await compare(setup, scene, options)
    compared.push(row)
    console.log(toLine(row))
  }
  saveResults(name === 'send' ? name : `send-${name}`, compared)
}
if (options.scenes.includes('receive')) {
  console.log('\nfrom the first byte of the request to the event at a stock client on a realtime node')
  console.log('clients   messages/s   send p99 ms   receive p50 ms   p99 ms')
  const rows = await measureReceiving(setup, options.seconds)
  for (const { clients, sentPerSecond, sendP99MS, p50MS, p99MS, perSecond } of rows) {
    const cells = [
      sentPerSecond.toFixed(0).padStart(12),
      sendP99MS.toFixed(1).padStart(13),
      p50MS.toFixed(1).padStart(16),
    ]
    const load = perSecond === undefined ? '' : '   at half load'
    console.log(`${String(clients).padStart(7)} ${cells.join(' ')} ${p99MS.toFixed(1).padStart(8)}${load}`)
  }
  saveResults('send-receive', rows)
}
if (options.scenes.includes('sockets')) {
  console.log('\nsends by socket, against POST /messages')
  console.log(
    'clients  sockets a room   POST/s   p99 ms   emits/s   ack p99 ms   at sockets p50 ms   p99 ms   ratio   CPU µs per message',
  )
  const rows = await measureSockets(setup, options)
  for (const row of rows) {
    const cells = [
      String(row.clients).padStart(7),
      String(row.listeners).padStart(15),
      row.restPerSecond.toFixed(0).padStart(8),
      row.restP99MS.toFixed(1).padStart(8),
      row.perSecond.toFixed(0).padStart(9),
      row.ackP99MS.toFixed(1).padStart(12),
      row.deliveredP50MS.toFixed(1).padStart(19),
      row.deliveredP99MS.toFixed(1).padStart(8),
      row.ratio.toFixed(2).padStart(7),
    ]
    const cpu = Object.entries(row.cpuMicrosecondsPerMessage).map(([name, used]) => `${name} ${used.toFixed(0)}`)
    console.log(`${cells.join(' ')}   ${cpu.join(', ')}`)
  }
  saveResults('send-sockets', rows)
}
await setup.stop()
if (options.profile) printCpuShares('the gateway’s CPU time', profiles)
