import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeApp } from '@parley/local/make-app'
import { startServers } from '@parley/stack/up'
import { startBenchService } from './bench-service.ts'
import { whereTimeWent } from './cpu-profile.ts'
import { cpuSeconds } from './cpu-seconds.ts'
import { loadHttp } from './http-load.ts'
import { median } from './median.ts'

const help = `npm run bench:send -- [options]

POST /messages beside bare insertOne on the same mongod, in one run. Both are driven for the same time at the same
concurrency, in turns, and the median of the turns' ratios is what counts. Beside the ratio stands the CPU time of every
process per message: what is not used of the two cores goes into waiting for round trips.

  --clients N,N  (1,16,64,256)
  --rounds N     turns of each (3)
  --seconds N    of a turn (4)
  --profile      shows also where the gateway's CPU time goes; the ratios are then worse
  --help`

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '1,16,64,256' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit()
}
const clientCounts = values.clients.split(',').map(Number)
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const profiles = join(import.meta.dirname, 'results/profile')
rmSync(profiles, { recursive: true, force: true })
const rooms = 16

interface Sent {
  /** Messages per second. */
  sent: number
  /** Milliseconds. */
  p99: number
  /** CPU microseconds per message, by process. */
  cpu: Record<string, number>
}

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const keys = await makeApp(servers.mongoUrl, 'bench')
const gateway = await startBenchService('api-gateway', servers, {
  ...(values.profile && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` }),
})
const url = `http://127.0.0.1:${gateway.ports['http']}`
const ground = fork(join(import.meta.dirname, 'insert-one.ts'), [servers.mongoUrl])
await once(ground, 'message')

const headers = { 'im-api-key': keys.apiKey, 'content-type': 'application/json' }
const bodies = await prepare()
const requests = bodies.map((body) => {
  const lines = ['POST /messages HTTP/1.1', 'host: bench', `content-length: ${Buffer.byteLength(body)}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
})
const results = []
console.log(`${rounds} rounds of ${seconds} s each; messages of ${bodies[0]?.length} bytes into ${rooms} rooms\n`)
console.log('clients   insertOne/s   POST /messages/s   p99 ms   ratio   CPU µs per message')
for (const clients of clientCounts) {
  await send(clients, 1)
  const turns: ({ bare: number; bareCpu: number } & Sent)[] = []
  for (let round = 0; round < rounds; round++) {
    const { perSecond: bare, cpu: bareCpu } = await insertOne(clients)
    turns.push({ bare, bareCpu, ...(await send(clients, seconds)) })
  }
  const ratio = median(turns.map(({ bare, sent }) => sent / bare))
  const bare = median(turns.map((turn) => turn.bare))
  const sent = median(turns.map((turn) => turn.sent))
  const p99 = median(turns.map((turn) => turn.p99))
  const bareCpu = median(turns.map((turn) => turn.bareCpu))
  const cpu = Object.fromEntries(
    Object.keys(turns[0]?.cpu ?? {}).map((name) => [name, median(turns.map((turn) => turn.cpu[name] ?? 0))]),
  )
  results.push({
    clients,
    insertOnePerSecond: bare,
    sentPerSecond: sent,
    p99MS: p99,
    ratio,
    cpuMicrosecondsPerMessage: cpu,
    cpuMicrosecondsPerInsertOne: bareCpu,
  })
  console.log(
    [
      String(clients).padStart(7),
      bare.toFixed(0).padStart(13),
      sent.toFixed(0).padStart(18),
      p99.toFixed(1).padStart(8),
      ratio.toFixed(2).padStart(7),
      `  ${Object.entries(cpu)
        .map(([name, used]) => `${name} ${used.toFixed(0)}`)
        .join(', ')}; insertOne ${bareCpu.toFixed(0)}`,
    ].join(' '),
  )
}
mkdirSync(join(import.meta.dirname, 'results'), { recursive: true })
writeFileSync(join(import.meta.dirname, 'results/send.json'), `${JSON.stringify(results, null, 2)}\n`)
const at64 = results.find((result) => result.clients === 64)
console.log(`\nwanted: a ratio of at least 0.8 at 64 clients; reached: ${at64?.ratio.toFixed(2)}`)
ground.disconnect()
await gateway.stop()
await servers.stop()
if (values.profile) {
  console.log('\nthe gateway’s CPU time, by what it was spent in')
  for (const { where, share } of whereTimeWent(profiles).slice(0, 20)) {
    console.log(`${(share * 100).toFixed(1).padStart(6)} %  ${where}`)
  }
}

async function prepare(): Promise<string[]> {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  }
  const users = Array.from({ length: 10 }, (_, i) => `user ${i}`)
  for (const _id of users) await post('/admin/clients', { _id, issueAccessToken: true })
  const ids = Array.from({ length: rooms }, (_, i) => `room ${i}`)
  for (const _id of ids) await post('/rooms/', { _id, roomType: 'group', members: users })
  return ids.flatMap((room) =>
    users.map((sender) => JSON.stringify({ room, sender, message: 'x'.repeat(200), messageType: 'text', push: false })),
  )
}

/** CPU seconds used so far by each process that has a part in a send. */
function cpuOf(): Record<string, number> {
  return {
    gateway: cpuSeconds(gateway.pid),
    mongod: cpuSeconds(servers.mongo.pid ?? 0),
    nats: cpuSeconds(servers.nats.pid ?? 0),
    generator: cpuSeconds(process.pid),
  }
}

/** Inserts per second, and the CPU microseconds that each costs the process that asks and the database together. */
async function insertOne(clients: number): Promise<{ perSecond: number; cpu: number }> {
  const used = () => cpuSeconds(ground.pid ?? 0) + cpuSeconds(servers.mongo.pid ?? 0)
  const before = used()
  ground.send({ clients, seconds })
  const [perSecond] = await once(ground, 'message')
  return { perSecond, cpu: ((used() - before) * 1e6) / (perSecond * seconds) }
}

async function send(connections: number, duration: number): Promise<Sent> {
  const before = cpuOf()
  const { perSecond, p99 } = await loadHttp(url, requests, { connections, seconds: duration })
  const after = cpuOf()
  const messages = perSecond * duration
  const cpu = Object.fromEntries(
    Object.entries(after).map(([name, used]) => [name, ((used - (before[name] ?? 0)) * 1e6) / messages]),
  )
  return { sent: perSecond, p99, cpu }
}
