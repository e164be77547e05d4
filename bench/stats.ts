import assert from 'node:assert/strict'
import { connectDb, type Db } from '@parley/db/connect'
import { type BucketLevel, bucketLevels, bucketOf } from '@parley/db/statistics/buckets'
import { type DemoKeys, makeApp } from '@parley/local/make-app'
import { wholeNumber, wholeNumbers } from '@parley/local/whole-number'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { ObjectId } from 'mongodb'
import { startBenchService } from './bench-service.ts'
import { printTable } from './print-table.ts'
import { median } from './quantile.ts'
import { saveResults } from './save-results.ts'

const options = new Command('npm run bench:stats --')
  .description(
    `Measures GET /admin/stats over a window of 31 days as messages grow: three apps with the same rooms and users, and the given
number of messages a day. The buckets are written as the stats service writes them. Messages exist only for the hours in which the
window begins and ends, since no others are read.`,
  )
  .option(
    '--messages <numbers>',
    'messages per day, one number per app',
    wholeNumbers(1, 100_000_000),
    [10_000, 100_000, 1_000_000],
  )
  .option('--rooms <number>', 'rooms with messages', wholeNumber(1, 1_000_000), 500)
  .option('--users <number>', 'users that send or are connected', wholeNumber(1, 1_000_000), 2_000)
  .option('--rounds <number>', 'reports per app', wholeNumber(1, 100_000), 30)
  .parse()
  .opts<{ messages: number[]; rooms: number; users: number; rounds: number }>()
const { rooms, users, rounds } = options
const wanted = { seconds: 0.5, ratio: 1.5 }
const { hour, day } = bucketLevels
const days = 31

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const db = await connectDb(servers.mongoUrl, { appName: 'bench' })
const gateway = await startBenchService('api-gateway', servers)

/** The window begins and ends in the middle of an hour, which is the most expensive case. */
const toMS = Math.floor(Date.now() / hour.sizeMS) * hour.sizeMS - hour.sizeMS / 2
const fromMS = toMS - days * day.sizeMS
const firstMS = Math.floor(fromMS / day.sizeMS) * day.sizeMS

interface Subject {
  perDay: number
  keys: DemoKeys
  times: number[]
}
const subjects: Subject[] = []
for (const messages of options.messages) {
  const keys = await makeApp(servers.mongoUrl, `app of ${messages}`)
  const beganMS = performance.now()
  await fill(db, keys.app, messages)
  console.log(`· ${messages} messages a day: written in ${((performance.now() - beganMS) / 1000).toFixed(0)} s`)
  subjects.push({ perDay: messages, keys, times: [] })
}
for (const subject of subjects) await check(subject)
for (let round = -5; round < rounds; round++) {
  for (const { keys, times } of subjects) {
    const beganMS = performance.now()
    await report(keys)
    if (round >= 0) times.push(performance.now() - beganMS)
  }
}

console.log(`\nGET /admin/stats over ${days} days; ${rooms} rooms, ${users} users; median and worst of ${rounds}`)
const results = subjects.map(({ perDay: messages, times }) => {
  const [medianMS, worstMS] = [median(times), Math.max(...times)]
  return { messagesPerDay: messages, medianMS, worstMS }
})
printTable(results)
saveResults('stats', results)
const [first, last] = [results[0]?.medianMS ?? Number.NaN, results.at(-1)?.medianMS ?? Number.NaN]
console.log(
  `\ngoal: under ${wanted.seconds * 1000} ms, and the last at most ${wanted.ratio} × the first; reached: ${last.toFixed(0)} ms, ${(last / first).toFixed(2)} ×`,
)
process.exitCode = last < wanted.seconds * 1000 && last / first <= wanted.ratio ? 0 : 1
await gateway.stop()
await db.client.close()
await servers.stop()

async function report({ apiKey }: DemoKeys): Promise<{ messageCount: number; roomCount: number; userList: string[] }> {
  const query = `startTime=${new Date(fromMS).toISOString()}&endTime=${new Date(toMS).toISOString()}`
  const url = `http://127.0.0.1:${gateway.ports['http']}/admin/stats?${query}`
  const answer = await fetch(url, { headers: { 'im-api-key': apiKey } })
  if (!answer.ok) throw new Error(await answer.text())
  return ((await answer.json()) as { result: { messageCount: number; roomCount: number; userList: string[] } }).result
}

/** Checks that the report counts every written message. */
async function check({ keys, perDay: messages }: Subject): Promise<void> {
  const { messageCount, roomCount, userList } = await report(keys)
  assert.equal(messageCount, messages * days)
  assert.equal(roomCount, rooms)
  assert.equal(userList.length, users)
}

/** Spreads messages evenly: the n-th of the app at `firstMS + n * gap`, to each room and from each user in turn. */
async function fill(database: Db, app: string, messages: number): Promise<void> {
  const gapMS = day.sizeMS / messages
  const perLevel = (level: BucketLevel) => {
    const { sizeMS } = bucketLevels[level]
    const buckets = Math.ceil((toMS - firstMS) / sizeMS)
    return Array.from({ length: buckets }, (_, i) => ({ level, beginMS: firstMS + i * sizeMS, sizeMS }))
  }
  /** The number of messages in a room before a time. */
  const seqBefore = (room: number, ms: number) => {
    const sent = Math.ceil((ms - firstMS) / gapMS)
    return Math.max(0, Math.ceil((sent - room) / rooms))
  }
  for (const { level, beginMS, sizeMS } of [...perLevel('hour'), ...perLevel('day')]) {
    const endMS = beginMS + sizeMS
    const ofRooms = Array.from({ length: rooms }, (_, room) => ({
      ...bucketOf(level, app, beginMS, `room ${room}`),
      room: `room ${room}`,
      firstSeq: seqBefore(room, beginMS) + 1,
      lastSeq: seqBefore(room, endMS),
    })).filter(({ firstSeq, lastSeq }) => lastSeq >= firstSeq)
    const ofUsers = Array.from({ length: users }, (_, user) => ({
      ...bucketOf(level, app, beginMS, `user ${user}`),
      user: `user ${user}`,
    }))
    if (ofRooms.length > 0) await database.statsRooms.insertMany(ofRooms, { ordered: false })
    await database.statsUsers.insertMany(ofUsers, { ordered: false })
    await database.statsPeaks.insertOne({ ...bucketOf(level, app, beginMS), peak: users })
  }
  for (const edgeMS of [fromMS, toMS]) await writeMessages(database, app, gapMS, edgeMS)
}

/** Writes the messages of the two hours before an edge and of the rest of its hour. */
async function writeMessages(database: Db, app: string, gapMS: number, edgeMS: number): Promise<void> {
  const from = Math.max(0, Math.ceil((edgeMS - hour.sizeMS * 2 - firstMS) / gapMS))
  const to = Math.ceil((edgeMS + hour.sizeMS / 2 - firstMS) / gapMS)
  for (let begin = from; begin < to; begin += 10_000) {
    const documents = Array.from({ length: Math.min(10_000, to - begin) }, (_, i) => {
      const n = begin + i
      const room = `room ${n % rooms}`
      const atMS = firstMS + n * gapMS
      const of = { app, room, roomKey: `${app}\0${room}`, seq: Math.floor(n / rooms) + 1, sender: `user ${n % users}` }
      const times = { createdAtMS: atMS, updatedAtMS: atMS }
      return { _id: new ObjectId().toHexString(), ...of, content: '"x"', messageType: 'text', ...times }
    })
    await database.messages.insertMany(documents, { ordered: false })
  }
}
