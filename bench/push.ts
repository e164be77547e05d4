import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureServer, type Http2ServerResponse } from 'node:http2'
import { join } from 'node:path'
import { connectDb } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { makeApp } from '@parley/local/make-app'
import { wholeNumber } from '@parley/local/whole-number'
import { listenOnLoopback } from '@parley/stack/loopback'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { adminPost } from './admin-post.ts'
import { startBenchService } from './bench-service.ts'
import { createLargeRoom } from './create-large-room.ts'
import { median } from './quantile.ts'
import { saveResults } from './save-results.ts'

const options = new Command('npm run bench:push --')
  .description(
    `Measures the cost of recording each device's push decision and outcome. Sends messages to a large room, each member with a
device, until a network that responds at once has received every push; with and without the record, in turns.`,
  )
  .option('--members <number>', 'members of the room', wholeNumber(2, 100_000), 1_000)
  .option('--messages <number>', 'messages per round', wholeNumber(1, 1_000), 10)
  .option('--rounds <number>', 'rounds with and without', wholeNumber(1, 100), 6)
  .parse()
  .opts<{ members: number; messages: number; rounds: number }>()
const { members, messages, rounds } = options
const wanted = 1.1
const each = (ms: number) => `${(ms / messages).toFixed(0)} ms`

const network = await startNetwork()
const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const db = await connectDb(servers.mongoUrl, { appName: 'bench' })
const { app, apiKey } = await makeApp(servers.mongoUrl, 'app')
const gateway = await startBenchService('api-gateway', servers)
const admin = adminPost(gateway.ports['http'], apiKey)
const room = await fill()

const times: Record<'with' | 'without', number[]> = { with: [], without: [] }
// The first round warms up and does not count.
for (let round = -1; round < rounds; round++) {
  // Alternate the order, since the second run finds a larger database.
  const order = round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)
  for (const how of order) {
    const ms = await measure(how)
    console.log(`· ${round < 0 ? 'warm-up' : `round ${round + 1}`}, ${how} the record: ${each(ms)} per message`)
    if (round >= 0) times[how].push(ms)
  }
}

const [recorded, plain] = [median(times.with), median(times.without)]
const ratio = recorded / plain
console.log(`\n${messages} messages to ${members} devices, median of ${rounds} rounds, per message:`)
console.log(`with the record ${each(recorded)}, without ${each(plain)}: ${ratio.toFixed(2)} × (goal: ${wanted})`)
saveResults('push', { members, messages, rounds, withMS: recorded, withoutMS: plain, ratio })
process.exitCode = ratio <= wanted ? 0 : 1
await gateway.stop()
await db.client.close()
await servers.stop()
network.stop()

/** Returns the milliseconds from sending the messages until the network has every push. */
async function measure(how: 'with' | 'without'): Promise<number> {
  const push = await startBenchService('push', servers, {
    ...network.env,
    PARLEY_PUSH_DECISIONS: String(how === 'with'),
  })
  await sendAndWait(1)
  const beganMS = performance.now()
  await sendAndWait(messages)
  const tookMS = performance.now() - beganMS
  await push.stop()
  return tookMS
}

async function sendAndWait(count: number): Promise<void> {
  const arrived = network.after(count * (members - 1))
  for (let i = 0; i < count; i++) {
    await admin('/messages', { room, sender: 'member 0', message: 'hello', messageType: 'text' })
  }
  await arrived
}

/** Creates a room of users with a device each; returns its ID. */
async function fill(): Promise<string> {
  const users = Array.from({ length: members }, (_, i) => `member ${i}`)
  for (let i = 0; i < members; i += 1_000) {
    await admin('/admin/clients/list', { data: users.slice(i, i + 1_000).map((_id) => ({ _id })) })
  }
  await db.devices.insertMany(
    users.map((user) => ({
      ...{ _id: key(app, user, 'phone'), app, user, userKey: key(app, user), device: 'phone' },
      ...{ type: 'fcm', token: `token of ${user}`, updatedAt: new Date() },
    })),
  )
  await createLargeRoom(admin, 'large', users)
  return 'large'
}

/** A double of FCM that accepts every push at once. */
async function startNetwork() {
  let pushes = 0
  let waiting: { count: number; arrived: () => void } | undefined
  const reply = (response: Http2ServerResponse, body: object) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  // The push service requires TLS. The certificate is the one of the tests' doubles.
  const pem = (name: string) => join(import.meta.dirname, `../test/doubles/localhost-${name}.pem`)
  const identity = { cert: readFileSync(pem('cert')), key: readFileSync(pem('key')) }
  const server = createSecureServer(identity, (request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/token') return reply(response, { access_token: 'token', expires_in: 3_599 })
      reply(response, { name: `projects/bench/messages/0:1795176000000000%${++pushes}` })
      if (waiting && pushes >= waiting.count) waiting.arrived()
    })
  })
  const url = `https://localhost:${await listenOnLoopback(server)}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const account = {
    ...{ type: 'service_account', project_id: 'bench', client_email: 'bench@example.com', token_uri: `${url}/token` },
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
  return {
    env: {
      PARLEY_PUSH_FCM_URL: url,
      PARLEY_PUSH_FCM_SERVICE_ACCOUNT: JSON.stringify(account),
      NODE_EXTRA_CA_CERTS: pem('cert'),
    },
    /** Resolves when this many more pushes have arrived. */
    after(count: number): Promise<void> {
      const all = Promise.withResolvers<void>()
      waiting = { count: pushes + count, arrived: all.resolve }
      return all.promise
    },
    stop: () => server.close(),
  }
}
