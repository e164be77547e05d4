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
    `Sends messages through several gateways while killing (-9) and restarting one after the other. Then checks that no acknowledged
message is missing or duplicated, no seq is skipped, and every unread count is exact. Exit code 1 if not. Every fiftieth message is too
large for its room's buffer. With --failovers the servers are killed too: a MongoDB replica set, a NATS cluster, and Redis with
Sentinels.`,
  )
  .option('--messages <number>', 'messages to send', wholeNumber(1, 100_000_000), 1_000_000)
  .option('--minutes <number>', 'time limit for sending', wholeNumber(1, 10_000), 120)
  .option('--gateways <number>', 'gateways to send through', wholeNumber(2, 16), 3)
  .option('--clients <number>', 'concurrent clients', wholeNumber(1, 1_000), 64)
  .option('--rooms <number>', 'rooms to send to', wholeNumber(1, 1_000), 16)
  .option('--kill-seconds <number>', 'maximum time between two kills', wholeNumber(1, 3_600), 5)
  .option('--without-keys', 'send without idempotency keys; failed sends are not retried')
  .option('--failovers', "every other kill hits MongoDB's primary, the stream's leader or the Redis master")
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
    `${acknowledged.length} of ${options.messages} sent, ${kills} kills, ${repeats} retries, ${failed} failed`,
  )
}, 10_000)
const sending = Promise.all(Array.from({ length: options.clients }, (_, i) => sendOn(i)))
const killer = { on: true }
const killing = killOn()
await sending
killer.on = false
await killing
clearInterval(progress)
const perSecond = Math.round((acknowledged.length * 1_000) / (performance.now() - startMS))
console.log(
  `${acknowledged.length} messages acknowledged (${perSecond}/s), ${kills} kills, ${repeats} retries, ${failed} failed sends`,
)
for (const [name, times] of failedOver) console.log(`${name}: killed and failed over ${times} times`)
const faults = await findFaults(servers.mongoUrl, keys.app, { rooms, users, acknowledged })
await Promise.all(gateways.map((gateway) => gateway.stop()))
await servers.stop()
console.log(
  faults.length === 0 ? 'none missing, no duplicates, no seq skipped, unread counts exact' : faults.join('\n'),
)
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

/** Sends messages one at a time, retrying each until a gateway acknowledges it. */
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
        // This gateway is dead, or still handling the death of another.
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
  while (killer.on) {
    await Promise.race([pause(Math.random() * options.killSeconds * 1_000), sending])
    if (!killer.on) return
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
