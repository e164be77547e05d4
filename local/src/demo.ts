import { Command } from 'commander'
import { request } from 'undici'
import { demoApp } from './demo-app.ts'
import { connectDevice, type Device } from './demo-user.ts'

/** `npm run demo`: a message travels from REST to two devices on two realtime nodes, and its read marker back. */
const { url, apiKey, clientKey } = new Command('npm run demo --')
  .description('Follows a message through the running stack to two devices. Exit code 1 if anything is missing.')
  .option('--url <url>', 'the base URL that npm start prints', 'http://127.0.0.1:8080')
  .option('--api-key <key>', 'an API key with the platform permission', demoApp.apiKey)
  .option('--client-key <key>', 'the client key of the same app', demoApp.clientKey)
  .parse()
  .opts<{ url: string; apiKey: string; clientKey: string }>()

/** Connections go to the nodes in turn, so a few tries suffice. */
const maxTries = 20
const devices: Device[] = []

try {
  await demo()
  console.log('\nEverything arrived.')
} catch (error) {
  console.error(`\n✖ ${sentenceOf(error)}`)
  process.exitCode = 1
}
for (const { socket } of devices) socket.disconnect()
// After a failure, do not wait for open connections.
process.exit()

async function demo(): Promise<void> {
  const [alice, bob] = await Promise.all([signIn('alice'), signIn('bob')])
  const members = [alice.user, bob.user]
  const made = await admin('POST', '/rooms/', { roomType: 'group', name: 'Demo of two nodes', members })
  const room = String(made._id)
  log(`a room for both: ${room}`)

  const [atAlice, atBob] = await connectBoth(alice, bob)
  const before = await badge(bob)
  log(`bob has ${before} unread in all rooms`)

  const text = `Hello Bob, it is ${new Date().toISOString()}`
  const isIt = (payload: Record<string, unknown>) => payload.room === room && payload.message === text
  const arrivals = Promise.all([atAlice.next('chat message', isIt), atBob.next('chat message', isIt)])
  const sent = await admin('POST', '/messages', { room, sender: 'alice', message: text, messageType: 'text' })
  const message = String(sent._id)
  log(`POST /messages by alice: ${message}`)
  const [seenByAlice, seenByBob] = await arrivals
  log(`alice's device on ${atAlice.node} got "chat message" as JSON`)
  log(`bob's device on ${atBob.node} got "chat message" as base64`)
  check(
    seenByAlice._id === message && seenByBob._id === message,
    'the events carry the ID that POST /messages returned',
  )

  const unread = await badge(bob)
  log(`bob has ${unread} unread`)
  check(unread === before + 1, `one more unread for bob than before (${before})`)

  const readMarker = atAlice.next('lastRead', ({ roomID, memberID }) => roomID === room && memberID === 'bob')
  await call('PUT', `/rooms/${room}/lastRead`, bob.headers, { message })
  log('PUT lastRead by bob')
  const { messageID } = await readMarker
  log(`alice's device got "lastRead": bob has read ${String(messageID)}`)
  check(messageID === message, 'the read marker is that of the message')

  const after = await badge(bob)
  log(`bob has ${after} unread`)
  check(after === before, `as many unread for bob as before (${before})`)
}

interface User {
  user: string
  token: string
  headers: Record<string, string>
}

async function signIn(user: string): Promise<User> {
  const { token } = await admin('POST', '/admin/clients', { _id: user, nickname: user, issueAccessToken: true })
  log(`${user} has a new token`)
  const headers = { 'im-client-key': clientKey, 'im-authorization': String(token) }
  return { user, token: String(token), headers }
}

/** Connects alice by long-polling with an upgrade and bob by WebSocket with base64, retrying until they are on two nodes. */
async function connectBoth(alice: User, bob: User): Promise<[Device, Device]> {
  const atAlice = await connectDevice(url, { ...alice, encoding: 'plain', transports: ['polling', 'websocket'] })
  devices.push(atAlice)
  for (let tries = 1; tries <= maxTries; tries++) {
    const atBob = await connectDevice(url, { ...bob, encoding: 'base64', transports: ['websocket'] })
    devices.push(atBob)
    if (atBob.node !== atAlice.node) {
      log(`alice is connected to ${atAlice.node}, bob to ${atBob.node}`)
      return [atAlice, atBob]
    }
    atBob.socket.disconnect()
  }
  throw new Error(`all connections reached ${atAlice.node}: the demo needs two realtime nodes`)
}

async function badge({ headers }: User): Promise<number> {
  return Number((await call('GET', '/me/badge', headers)).badge)
}

function admin(method: 'POST', path: string, body: unknown): Promise<Record<string, unknown>> {
  return call(method, path, { 'im-api-key': apiKey }, body)
}

async function call(method: 'GET' | 'POST' | 'PUT', path: string, headers: Record<string, string>, body?: unknown) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await request(`${url}${path}`, { method, headers: { ...headers, ...type }, ...json })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${method} ${path} returned ${answer.statusCode}: ${text}`)
  const { result }: { result: Record<string, unknown> } = JSON.parse(text)
  return result
}

function log(line: string): void {
  console.log(`· ${line}`)
}

function check(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`Expected: ${what}`)
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isAway = 'code' in error && error.code === 'ECONNREFUSED'
  return isAway ? `Nothing listens at ${url}: run npm start first, or give its --url.` : error.message
}
