import { setTimeout as pause } from 'node:timers/promises'
import { makeApp } from '@parley/local/make-app'
import type { ServiceProcess } from '@parley/local/service-process'
import { wholeNumber } from '@parley/local/whole-number'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { request } from 'undici'
import { startBenchService } from './bench-service.ts'
import { startFailingServers } from './soak/fail-over.ts'
import { type Acknowledged, findFaults } from './soak/find-faults.ts'

const options = new Command('npm run soak --')
  .description(
    `Sends messages through several gateways, of which one after the other is killed (-9) and started again. Then nothing that
was acknowledged may be missing, none there twice, no seq left out, and every unread count exact. Exit code 1 if not. Each
fiftieth message is too large for the buffer of its room. With --failovers the servers are killed, too: MongoDB is a replica
set, NATS a cluster, Redis has Sentinels.`,
  )
  .option('--messages <number>', 'that are sent', wholeNumber(1, 100_000_000), 1_000_000)
  .option('--minutes <number>', 'after which no more are sent', wholeNumber(1, 10_000), 120)
  .option('--gateways <number>', 'that they are sent through', wholeNumber(2, 16), 3)
  .option('--clients <number>', 'that send at once', wholeNumber(1, 1_000), 64)
  .option('--rooms <number>', 'that they are sent to', wholeNumber(1, 1_000), 16)
  .option('--kill-seconds <number>', 'between two kills, at most', wholeNumber(1, 3_600), 5)
  .option(
    '--without-keys',
    'sends have no idempotency key, so that one gateway writes a busy room for all; a send that fails is not repeated',
  )
  .option(
    '--failovers',
    'every other kill is of the primary of MongoDB, the leader of the stream or the master of Redis',
  )
  .parse()
  .opts<{
    messages: number
    minutes: number
    gateways: number
    clients: number
    rooms: number
    killSeconds: number
    failovers?: true
    withoutKeys?: true
  }>()

const users = Array.from({ length: 8 }, (_, i) => `user ${i}`)
const failing = options.failovers && (await startFailingServers())
const servers = failing ?? (await startServers({ onProgress: (line) => console.log(`· ${line}`) }))
const keys = await makeApp(servers.mongoUrl, 'soak')
const headers = { 'im-api-key': keys.apiKey, 'content-type': 'application/json' }
const gateways = await Promise.all(Array.from({ length: options.gateways }, () => startGateway()))
const rooms = await prepare()
const acknowledged: Acknowledged[] = []
const startMS = performance.now()
const endMS = startMS + options.minutes * 60_000
let begun = 0
const failedOver = new Map<string, number>()
let kills = 0
let repeats = 0
let failed = 0

const progress = setInterval(() => {
  console.log(
    `${acknowledged.length} of ${options.messages} sent, ${kills} kills, ${repeats} sends repeated, ${failed} failed`,
  )
}, 10_000)
const sending = Promise.all(Array.from({ length: options.clients }, (_, i) => sendOn(i)))
const trouble = { on: true }
const killing = killOn()
await sending
trouble.on = false
await killing
clearInterval(progress)
const perSecond = Math.round((acknowledged.length * 1_000) / (performance.now() - startMS))
console.log(
  `${acknowledged.length} messages are acknowledged (${perSecond}/s), after ${kills} kills, ${repeats} repeated and ${failed} failed sends`,
)
for (const [name, times] of failedOver) console.log(`${name} was killed ${times} times, and another took over`)
const faults = await findFaults(servers.mongoUrl, keys.app, { rooms, users, acknowledged })
await Promise.all(gateways.map((gateway) => gateway.stop()))
await servers.stop()
console.log(faults.length === 0 ? 'none missing, none twice, no seq left out, unread exact' : faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1

function startGateway(): Promise<ServiceProcess> {
  return startBenchService('api-gateway', servers, failing ? { PARLEY_STREAM_REPLICAS: '3' } : {}, { mayDie: true })
}

async function post(gateway: number, path: string, body: object): Promise<{ _id: string }> {
  const url = `http://127.0.0.1:${gateways[gateway % gateways.length]?.ports['http']}${path}`
  const answer = await request(url, { method: 'POST', headers, body: JSON.stringify(body), bodyTimeout: 30_000 })
  const { result } = (await answer.body.json()) as { result?: { _id: string } }
  if (answer.statusCode !== 200 || !result) throw new Error(`${path}: ${answer.statusCode}`)
  return result
}

async function prepare(): Promise<string[]> {
  for (const _id of users) await post(0, '/admin/clients', { _id, issueAccessToken: true })
  const ids = Array.from({ length: options.rooms }, (_, i) => `room ${i}`)
  for (const _id of ids) await post(0, '/rooms/', { _id, roomType: 'group', members: users })
  return ids
}

/** Each message until it is acknowledged, by whichever gateway. */
async function sendOn(client: number): Promise<void> {
  for (let i = begun++; i < options.messages && performance.now() < endMS; i = begun++) {
    const room = rooms[i % rooms.length] as string
    const sender = users[client % users.length] as string
    const clientMessageID = options.withoutKeys ? undefined : `message ${i}`
    const message = `${i} `.padEnd(i % 50 === 49 ? 20_000 : 200, 'x')
    for (let gateway = client; ; gateway++) {
      try {
        const body = { room, sender, message, messageType: 'text', push: false, clientMessageID }
        const { _id } = await post(gateway, '/messages', body)
        acknowledged.push({ _id, room, sender })
        break
      } catch {
        // The gateway that responded is dead, or the death of another is not over yet.
        await pause(20)
        if (options.withoutKeys) {
          failed++
          break
        }
        repeats++
      }
    }
  }
}

async function killOn(): Promise<void> {
  while (trouble.on) {
    await Promise.race([pause(Math.random() * options.killSeconds * 1_000), sending])
    if (!trouble.on) return
    if (failing && kills % 2 === 1) {
      kills++
      const name = await failing.failOver()
      failedOver.set(name, (failedOver.get(name) ?? 0) + 1)
      continue
    }
    const at = Math.floor(Math.random() * gateways.length)
    process.kill(gateways[at]?.pid ?? 0, 'SIGKILL')
    kills++
    gateways[at] = await startGateway()
  }
}
