import { connectBus } from '@parley/bus/connect'
import { readStreamSize } from '@parley/bus/stream/stream-state'
import { connectDb, type Db } from '@parley/db/connect'
import { makeApp } from '@parley/local/make-app'
import { wholeNumber } from '@parley/local/whole-number'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { adminPost } from './admin-post.ts'
import { startBenchService } from './bench-service.ts'
import { httpRequest, loadHttp } from './http-load.ts'
import { printTable } from './print-table.ts'
import { saveResults } from './save-results.ts'
import { textOf } from './text-of.ts'

const { users, messages } = new Command('npm run bench:storage --')
  .description(
    `Measures the disk space of users and messages, per million: MongoDB's collections and indexes as WiredTiger compresses them, and the
NATS stream. Messages have 200 characters of words, rooms have 10 members.`,
  )
  .option('--users <number>', 'users, each with a token', wholeNumber(100, 1_000_000), 20_000)
  .option('--messages <number>', 'messages, approximately', wholeNumber(1_000, 10_000_000), 50_000)
  .parse()
  .opts<{ users: number; messages: number }>()
const million = 1_000_000
const perRoom = 10

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const db = await connectDb(servers.mongoUrl, { appName: 'bench' })
const { apiKey } = await makeApp(servers.mongoUrl, 'app')
const gateway = await startBenchService('api-gateway', servers)
const post = adminPost(gateway.ports['http'], apiKey)
const url = `http://127.0.0.1:${gateway.ports['http']}`
const bus = await connectBus(servers.natsUrl, 'bench')

const empty = await sizes(db)
await makeUsers()
const withUsers = await sizes(db)
const rooms = await makeRooms()
const withRooms = await sizes(db)
const sent = await send(rooms)
const withMessages = await flushed(db)
const stream = await readStreamSize(bus, bus.streams.names[0] ?? '')

const rows = [
  row('users, each with a token', users, empty, withUsers),
  row('rooms of ten members', rooms.length, withUsers, withRooms),
  row('messages', sent, withRooms, withMessages),
  { of: 'messages in the stream', count: stream.messages, diskMB: 0, indexMB: 0, streamMB: perMillion(stream) },
]
console.log('\nMB per million, in MongoDB, its indexes, and the stream')
printTable(rows)
console.log('\nindexes of messages by collection, MB per million')
for (const [name, bytes] of withMessages.indexesOf) {
  const mb = ((bytes - (withRooms.indexesOf.get(name) ?? 0)) / sent) * (million / 2 ** 20)
  if (Math.abs(mb) >= 0.5) console.log(`${name.padEnd(24)}${mb.toFixed(1).padStart(10)}`)
}
saveResults('storage', rows)
await gateway.stop()
await bus.nats.close()
await db.client.close()
await servers.stop()

interface Sizes {
  disk: number
  indexes: number
  /** Bytes of indexes by collection. */
  indexesOf: Map<string, number>
}

/** Bytes of all collections on disk, after flushing memory. */
async function sizes({ mongo, client }: Db): Promise<Sizes> {
  await client.db('admin').command({ fsync: 1 })
  // Exclude free space in the files, which does not grow with the data.
  const stats = await mongo.command({ dbStats: 1, freeStorage: 1 })
  const of = (name: string) => Number(stats[name])
  const indexes = of('indexSize') - of('indexFreeStorageSize')
  return { disk: of('storageSize') - of('freeStorageSize') + indexes, indexes, indexesOf: await indexSizes(mongo) }
}

async function indexSizes(mongo: Db['mongo']): Promise<Map<string, number>> {
  const collections = await mongo.listCollections({}, { nameOnly: true }).toArray()
  const all = collections.map(async ({ name }): Promise<[string, number]> => {
    const [stats] = await mongo
      .collection(name)
      .aggregate<{ storageStats: { totalIndexSize: number } }>([{ $collStats: { storageStats: {} } }])
      .toArray()
    return [name, stats?.storageStats.totalIndexSize ?? 0]
  })
  return new Map(await Promise.all(all))
}

/** The same, once no message is in a room's buffer. */
async function flushed(all: Db): Promise<Sizes> {
  while ((await all.rooms.countDocuments({ 'buffer.0': { $exists: true } })) > 0) await nextTurn()
  return sizes(all)
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100))
}

function row(of: string, count: number, before: Sizes, after: Sizes) {
  const per = (bytes: number) => (bytes / count) * (million / 2 ** 20)
  return { of, count, diskMB: per(after.disk - before.disk), indexMB: per(after.indexes - before.indexes), streamMB: 0 }
}

function perMillion({ messages: count, bytes }: { messages: number; bytes: number }): number {
  return (bytes / count) * (million / 2 ** 20)
}

async function makeUsers(): Promise<void> {
  for (let i = 0; i < users; i += 50) {
    const some = Array.from({ length: Math.min(50, users - i) }, (_, n) => i + n)
    await Promise.all(
      some.map((n) => post('/admin/clients', { _id: `user ${n}`, nickname: `User ${n}`, issueAccessToken: true })),
    )
  }
}

async function makeRooms(): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i + perRoom <= users; i += perRoom) {
    const members = Array.from({ length: perRoom }, (_, n) => `user ${i + n}`)
    ids.push(String((await post('/rooms/', { roomType: 'group', members }))['_id']))
  }
  return ids
}

/** Sends for a while; returns the number of messages in the rooms. */
async function send(to: readonly string[]): Promise<number> {
  const request = (n: number) => {
    const room = to[n % to.length] as string
    const sender = `user ${(n % to.length) * perRoom + (Math.floor(n / to.length) % perRoom)}`
    return httpRequest(
      'POST',
      '/messages',
      { 'im-api-key': apiKey },
      { room, sender, message: textOf(n, 200).slice(0, 200), messageType: 'text' },
    )
  }
  let from = 0
  while ((await countSent()) < messages) {
    const begin = from
    let last = begin
    const next = (n: number) => {
      last = begin + n
      return request(last)
    }
    await loadHttp(url, next, { connections: 64, seconds: 2 })
    from = last + 1
  }
  return countSent()
}

async function countSent(): Promise<number> {
  const [sum] = await db.rooms.aggregate<{ seq: number }>([{ $group: { _id: null, seq: { $sum: '$seq' } } }]).toArray()
  return sum?.seq ?? 0
}
