import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wholeNumber, wholeNumbers } from '@parley/local/whole-number'
import { Command, Option } from 'commander'
import { printWhereTimeWent } from './cpu-profile.ts'
import { column, compare, cpuText, heading, roomIds, type Scene, toLine, users, warmUp } from './send/compare.ts'
import { startGround } from './send/ground.ts'
import { measureReceiving } from './send/receive.ts'
import { measureSockets } from './send/sockets.ts'

const scenes = {
  /** Keeps the name that it has always had. */
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
    `POST /messages beside bare insertOne on the same mongod, in one run, and beside a bare server that does nothing for a
request but read its JSON, insertOne it, respond and publish it to NATS. All are driven for the same time at the same
concurrency, in turns, and the median of the turns' ratios is what counts. Beside the ratio stands the CPU time of every
process per message: what is not used of the two cores goes into waiting for round trips. Then the same with larger messages,
into one hot room, and through several gateways; how long a message takes to a client on a realtime node;
and sends by socket beside sends by REST.`,
  )
  .option('--clients <numbers>', 'how many clients send at once', wholeNumbers(1, 10_000), [1, 16, 64, 256])
  .option('--rounds <number>', 'turns of each', wholeNumber(1, 1_000), 3)
  .option('--seconds <number>', 'of a turn', wholeNumber(1, 3_600), 4)
  .addOption(new Option('--scenes <names...>', 'only these').choices(names).default(names, 'all'))
  .option('--profile', "shows also where the gateway's CPU time goes; the ratios are then worse")
  .parse()
  .opts<{ clients: number[]; rounds: number; seconds: number; scenes: string[]; profile?: true }>()
scenes.send = options.clients.map((clients) => ({ clients, rooms: 16, bytes: 200, gateways: 1 }))

const results = join(import.meta.dirname, 'results')
const profiles = join(results, 'profile')
rmSync(profiles, { recursive: true, force: true })
const ground = await startGround(options.profile && profiles)
for (const _id of users) await ground.post('/admin/clients', { _id, issueAccessToken: true })
for (const _id of roomIds) await ground.post('/rooms/', { _id, roomType: 'group', members: users })

await warmUp(ground)
console.log(`${options.rounds} rounds of ${options.seconds} s each\n\n${heading}`)
for (const [name, rows] of Object.entries(scenes)) {
  if (!options.scenes.includes(name)) continue
  const compared = []
  for (const scene of rows) {
    const row = await compare(ground, scene, options)
    compared.push(row)
    console.log(toLine(row))
  }
  save(name === 'send' ? name : `send-${name}`, compared)
}
if (options.scenes.includes('receive')) {
  console.log('\nfrom the first byte of the request to the message at a stock client on a realtime node')
  console.log('clients   messages/s   send p99 ms   receive p50 ms   p99 ms')
  const rows = await measureReceiving(ground, options.seconds)
  for (const { clients, sentPerSecond, sendP99MS, p50MS, p99MS, perSecond } of rows) {
    const cells = [
      column(clients, 0, 7),
      column(sentPerSecond, 0, 12),
      column(sendP99MS, 1, 13),
      column(p50MS, 1, 16),
      column(p99MS, 1, 8),
    ]
    const load = perSecond === undefined ? '' : '   at half load'
    console.log(`${cells.join(' ')}${load}`)
  }
  save('send-receive', rows)
}
if (options.scenes.includes('sockets')) {
  console.log('\nsends by socket, beside POST /messages')
  console.log(
    'clients  sockets a room   POST/s   p99 ms   emits/s   ack p99 ms   at sockets p50 ms   p99 ms   ratio   CPU µs per message',
  )
  const rows = await measureSockets(ground, options)
  for (const row of rows) {
    const cells = [
      column(row.clients, 0, 7),
      column(row.listeners, 0, 15),
      column(row.restPerSecond, 0, 8),
      column(row.restP99MS, 1, 8),
      column(row.perSecond, 0, 9),
      column(row.ackP99MS, 1, 12),
      column(row.deliveredP50MS, 1, 19),
      column(row.deliveredP99MS, 1, 8),
      column(row.ratio, 2, 7),
    ]
    console.log(`${cells.join(' ')}   ${cpuText(row)}`)
  }
  save('send-sockets', rows)
}
await ground.stop()
if (options.profile) printWhereTimeWent('the gateway’s CPU time', profiles, 20)

function save(name: string, rows: readonly object[]): void {
  mkdirSync(results, { recursive: true })
  writeFileSync(join(results, `${name}.json`), `${JSON.stringify(rows, null, 2)}\n`)
}
