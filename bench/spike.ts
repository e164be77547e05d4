import { execSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connectDb } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'
import { appendToBuffers } from '@parley/db/room-buffer/append'
import { countFlushed, insertFlushed, pullFlushed } from '@parley/db/room-buffer/flush'
import { insertMissing } from '@parley/db/transactions/run-writes'
import { makeApp } from '@parley/local/make-app'
import { startServers } from '@parley/stack/up'

const servers = await startServers({ onProgress: () => undefined })
const db = await connectDb(servers.mongoUrl, { appName: 'bench' })
await makeApp(servers.mongoUrl, 'app')
const port = new URL(servers.mongoUrl).port
const pid = Number(execSync(`pgrep -f -- "mongod.*${port}" | head -1`).toString())
const cpu = () => {
  const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(f[11]) + Number(f[12])) * 10
}
const { words } = await import('./storage-words.ts')
let st = 1
const text = (n: number) => {
  let t = ''
  while (t.length < n) {
    st = (st * 1103515245 + 12345) % 2 ** 31
    t += words[st % words.length] + ' '
  }
  return JSON.stringify(t.slice(0, n))
}
let seqs = 0
async function run(mode: string, perTick: number, ticksPerFlush: number, total: number) {
  const app = `a${seqs++}`
  const rooms = Array.from({ length: 16 }, (_, i) => ({
    _id: `${app}\0r${i}`,
    app,
    id: `r${i}`,
    seq: 0,
    clockMS: 0,
    version: 1,
    status: 1,
    bufferBytes: 0,
  }))
  await db.rooms.insertMany(rooms.map((r) => ({ ...r, members: [] }) as never))
  await db.memberships.insertMany(
    rooms.flatMap((r) =>
      Array.from(
        { length: 10 },
        (_, u) =>
          ({
            _id: `${r._id}\0u${u}`,
            app,
            room: r.id,
            roomKey: r._id,
            user: `u${u}`,
            userKey: `${app}\0u${u}`,
            joinedAtMS: 1,
            readSeq: 0,
            uncounted: 0,
          }) as never,
      ),
    ),
  )
  const c0 = cpu(),
    t0 = performance.now()
  let sent = 0
  while (sent < total) {
    const flushing: any[] = []
    for (let t = 0; t < ticksPerFlush; t++) {
      const appends = rooms.map((room) => {
        const now = Math.max(Date.now(), room.clockMS + 1)
        const messages = Array.from({ length: perTick / 16 }, (_, i) => ({
          message: {
            _id: newId(),
            app,
            room: room.id,
            roomKey: room._id,
            seq: room.seq + 1 + i,
            sender: `u${(room.seq + i) % 10}`,
            content: text(200),
            messageType: 'text',
            createdAtMS: now,
            updatedAtMS: now,
          },
        }))
        return { room: { ...room }, messages, bytes: messages.length * 500, areStored: false, isShared: false }
      })
      const n = await appendToBuffers(db, appends as never, [])
      if (n !== 16) throw new Error('lost')
      for (const a of appends) {
        const r = rooms.find((x) => x._id === a.room._id)!
        r.seq = a.messages.at(-1)!.message.seq
        r.clockMS = a.messages.at(-1)!.message.createdAtMS
      }
      flushing.push(...appends)
      sent += perTick
    }
    const all = Map.groupBy(flushing, (a: any) => a.room._id)
    await (mode === 'none'
      ? async (_: any) => undefined
      : mode === 'messages'
        ? (ms: any) => insertMissing(db, 'messages', ms)
        : (ms: any) => insertFlushed(db, ms))(
      [...all.values()].flat().flatMap((a: any) => a.messages.map((m: any) => m.message)),
    )
    await countFlushed(
      db,
      [...all.values()].map((own: any) => ({
        room: own[0].room,
        messages: own.flatMap((a: any) => a.messages.map((m: any) => m.message)),
      })),
    )
    await pullFlushed(
      db,
      [...all].map(([roomKey, own]: any) => ({
        roomKey,
        ranges: [{ fromSeq: own[0].room.seq + 1, toSeq: own.at(-1).messages.at(-1).message.seq }],
      })),
    )
  }
  await db.client.db('admin').command({ fsync: 1 })
  return { us: ((cpu() - c0) * 1000) / sent, perS: sent / ((performance.now() - t0) / 1000) }
}
if (!process.env['NOMODES']) {
  const modes = (process.env['MODES'] ?? 'messages,buckets').split(',')
  for (const [perTick, ticks] of [
    [32, 18],
    [128, 5],
  ] as const) {
    const us: Record<string, number[]> = {}
    for (let round = 0; round < 4; round++)
      for (const m of modes) {
        const r = await run(m, perTick, ticks, 40_000)
        ;(us[m] ??= []).push(Math.round(r.us))
      }
    console.log(perTick, ticks, JSON.stringify(us))
  }
  const stats = async (name: string) => {
    const s = await db.mongo
      .collection(name)
      .aggregate([{ $collStats: { storageStats: {} } }])
      .next()
    const n =
      name === 'messages'
        ? s!.storageStats.count
        : (
            await db.mongo
              .collection(name)
              .aggregate([{ $group: { _id: null, n: { $sum: { $size: '$messages' } } } }])
              .next()
          )?.n
    const st = s!.storageStats
    console.log(
      name,
      n,
      'storage/msg',
      Math.round((st.storageSize - st.freeStorageSize) / n),
      'index/msg',
      JSON.stringify(
        Object.fromEntries(Object.entries(st.indexSizes).map(([k, v]) => [k, Math.round((10 * Number(v)) / n) / 10])),
      ),
    )
  }
  await stats('messages')
  await stats('messageBuckets')
}
await db.client.close()
await servers.stop()
