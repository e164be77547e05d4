import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeApp } from '@parley/local/make-app'
import { startServers } from '@parley/stack/up'
import { type Document, MongoClient, ObjectId } from 'mongodb'
import { Pool } from 'undici'
import { startBenchService } from './bench-service.ts'
import { median } from './median.ts'

/**
 * `pnpm bench:read`: what reading costs as a room grows. Every reader is in one room of that many messages and in
 * the same small rooms; all are asked in turns, so that whatever else the machine does falls on all alike.
 */
const sizes = (process.env['SIZES'] ?? '1000,10000,100000,1000000').split(',').map(Number)
const rounds = Number(process.env['ROUNDS'] ?? 300)
const smallRooms = 19
const wanted = 1.5

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const keys = await makeApp(servers.mongoUrl, 'bench')
const gateway = await startBenchService('api-gateway', servers)
const pool = new Pool(`http://127.0.0.1:${gateway.ports['http']}`, { connections: 1 })
const mongo = new MongoClient(servers.mongoUrl)
const db = mongo.db()
const collection = (name: string) => db.collection<Document & { _id: string }>(name)

interface Answer {
  RC: number
  result: Document
}

async function call(
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Answer> {
  const { body: answer } = await pool.request({
    method,
    path,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const parsed = (await answer.json()) as Answer
  if (parsed.RC !== 0) throw new Error(`${path}: ${JSON.stringify(parsed)}`)
  return parsed
}

const admin = { 'im-api-key': keys.apiKey }
await call('POST', '/admin/clients', admin, { _id: 'sender', issueAccessToken: true })
const readers = []
for (const size of sizes) readers.push({ size, headers: await prepare(size) })

const reads = {
  'latest page': (size: number) => `/rooms/big%20${size}/messages/v3`,
  'oldest page': (size: number) => `/rooms/big%20${size}/messages/v3?afterTime=0`,
  totalCount: (size: number) => `/rooms/big%20${size}/messages/v3?limit=1`,
  rooms: () => '/rooms',
  badge: () => '/me/badge',
}
const names = Object.keys(reads) as (keyof typeof reads)[]
const times = new Map(names.map((name) => [name, new Map(sizes.map((size) => [size, [] as number[]]))]))
for (const { size, headers } of readers) await check(size, headers)
for (let round = -20; round < rounds; round++) {
  for (const name of names) {
    for (const { size, headers } of readers) {
      const since = performance.now()
      await call('GET', reads[name](size), headers)
      if (round >= 0)
        times
          .get(name)
          ?.get(size)
          ?.push(performance.now() - since)
    }
  }
}

console.log(`\nmedian of ${rounds} requests each, in milliseconds, by messages in the room\n`)
console.log(['read'.padEnd(12), ...sizes.map((size) => String(size).padStart(9)), 'last/first'.padStart(12)].join(' '))
const results = names.map((name) => {
  const medians = sizes.map((size) => median(times.get(name)?.get(size) ?? []))
  const ratio = (medians.at(-1) ?? Number.NaN) / (medians[0] ?? Number.NaN)
  console.log(
    [name.padEnd(12), ...medians.map((ms) => ms.toFixed(2).padStart(9)), ratio.toFixed(2).padStart(12)].join(' '),
  )
  return { read: name, medianMS: Object.fromEntries(sizes.map((size, i) => [size, medians[i]])), ratio }
})
mkdirSync(join(import.meta.dirname, 'results'), { recursive: true })
writeFileSync(join(import.meta.dirname, 'results/read.json'), `${JSON.stringify(results, null, 2)}\n`)
const worst = Math.max(...results.map(({ ratio }) => ratio))
console.log(`\nwanted: every ratio under ${wanted}; the largest: ${worst.toFixed(2)}`)
process.exitCode = worst < wanted ? 0 : 1
await pool.close()
await mongo.close()
await gateway.stop()
await servers.stop()

/** A reader in a room of that many unread messages and in small rooms; answers his headers. */
async function prepare(size: number): Promise<Record<string, string>> {
  const reader = `reader ${size}`
  const { result } = await call('POST', '/admin/clients', admin, { _id: reader, issueAccessToken: true })
  const members = [reader, 'sender']
  for (let i = 0; i < smallRooms; i++) {
    await call('POST', '/rooms/', admin, { _id: `small ${size} ${i}`, roomType: 'group', members })
    const message = { room: `small ${size} ${i}`, sender: 'sender', message: 'x', messageType: 'text' }
    await call('POST', '/messages', admin, message)
  }
  await call('POST', '/rooms/', admin, { _id: `big ${size}`, roomType: 'group', members })
  const since = performance.now()
  await fill(`big ${size}`, size)
  console.log(`· ${size} messages written in ${((performance.now() - since) / 1000).toFixed(1)} s`)
  return { 'im-client-key': keys.clientKey, 'im-authorization': String(result['token']), 'im-client-id': reader }
}

/** Writes messages as if they had been sent: what sending keeps true of the room and of its sender is true after. */
async function fill(room: string, size: number): Promise<void> {
  const roomKey = `${keys.app}\0${room}`
  const startMS = Date.now() - size
  const content = JSON.stringify('x'.repeat(100))
  let lastMessageID = ''
  for (let from = 1; from <= size; from += 5_000) {
    const documents = Array.from({ length: Math.min(5_000, size - from + 1) }, (_, i) => {
      lastMessageID = new ObjectId().toHexString()
      const [seq, atMS] = [from + i, startMS + from + i]
      const times_ = { createdAtMS: atMS, updatedAtMS: atMS }
      const of = { app: keys.app, room, roomKey, seq, sender: 'sender' }
      return { _id: lastMessageID, ...of, content, messageType: 'text', ...times_ }
    })
    await collection('messages').insertMany(documents, { ordered: false })
  }
  const at = { clockMS: startMS + size, lastMessageAtMS: startMS + size }
  await collection('rooms').updateOne({ _id: roomKey }, { $set: { seq: size, lastMessageID, ...at } })
  await collection('memberships').updateOne({ _id: `${roomKey}\0sender` }, { $set: { uncounted: size } })
}

/** What was written is what the service sees. */
async function check(size: number, headers: Record<string, string>): Promise<void> {
  const page = (await call('GET', reads['latest page'](size), headers)).result
  assert.equal(page['totalCount'], size)
  assert.equal(page['data'][0].seq, size)
  assert.equal((await call('GET', reads['oldest page'](size), headers)).result['data'][0].seq, 1)
  assert.equal((await call('GET', reads.badge(), headers)).result['badge'], size + smallRooms)
  assert.equal((await call('GET', reads.rooms(), headers)).result['totalCount'], smallRooms + 1)
}
