import assert from 'node:assert/strict'
import type { Db } from 'mongodb'
import { median } from '../quantile.ts'
import { type Api, inParallel, makeCaller, makeUsers } from './api.ts'

export interface SingleResult {
  what: string
  /** Median time of one request in milliseconds. */
  ms: number
  /** The same for writing or reading the documents directly, in as few commands as possible. */
  bareMS: number
  /** The goal in milliseconds, on a quiet machine. */
  wantedMS: number
}

const receivers = 1_000
const roomsOfErased = 1_900
const roomsOfReader = 2_000

type Timed = () => Promise<unknown>

async function timed(work: Timed): Promise<number> {
  const startMS = performance.now()
  await work()
  return performance.now() - startMS
}

async function medianOf(rounds: number, work: Timed): Promise<number> {
  const times = []
  for (let i = 0; i < rounds; i++) times.push(await timed(work))
  return median(times)
}

/** Measures a batch to 1,000 receivers without direct rooms, then another to the same receivers. */
export async function measureBatches(api: Api, db: Db, rounds: number): Promise<SingleResult[]> {
  const users = await makeUsers(api, 'receiver', receivers)
  const fresh: number[] = []
  const again: number[] = []
  for (let round = 0; round < rounds; round++) {
    await makeUsers(api, `sender ${round}`, 1)
    const paras = users.map((receiver, i) => ({ receiver, $n$: String(i) }))
    const batch = { message: `Hello $n$ ${'x'.repeat(190)}`, messageType: 'text', sender: `sender ${round} 0`, paras }
    const send = async () => awaitJob(api, await api.call('POST', '/messages/batch', batch))
    fresh.push(await timed(send))
    again.push(await timed(send))
  }
  const insert = async (name: string, count: number) => {
    const documents = Array.from({ length: count }, (_, i) => ({ user: i, text: 'x'.repeat(300) }))
    await db.collection(`baseline_${name}`).insertMany(documents)
  }
  const messages = () => insert('messages', receivers)
  const all = async () => {
    await Promise.all([insert('rooms', receivers), insert('memberships', 2 * receivers), messages()])
  }
  return [
    { what: 'a batch to 1,000 without rooms', ms: median(fresh), bareMS: await medianOf(3, all), wantedMS: 4_000 },
    { what: 'the same again', ms: median(again), bareMS: await medianOf(3, messages), wantedMS: 500 },
  ]
}

/** Measures erasing a user of 1,900 rooms, until the user is in none of them. */
export async function measureErasing(api: Api, db: Db): Promise<SingleResult[]> {
  await makeUsers(api, 'other', 1)
  await makeUsers(api, 'erased', 1)
  await inParallel(roomsOfErased, (i) =>
    api.call('POST', '/rooms/', { _id: `left ${i}`, roomType: 'group', members: ['erased 0', 'other 0'] }),
  )
  const left = { user: 'erased 0' }
  assert.equal(await db.collection('memberships').countDocuments(left), roomsOfErased)
  const ms = await timed(async () => awaitJob(api, await api.call('DELETE', '/admin/clients/erased%200')))
  assert.equal(await db.collection('memberships').countDocuments(left), 0)
  const baseline = db.collection('baseline_left')
  await baseline.insertMany(Array.from({ length: 2 * roomsOfErased }, (_, i) => ({ i, isRoom: i % 2, memberCount: 2 })))
  const bareMS = await timed(async () => {
    await baseline.deleteMany({ isRoom: 0 })
    await baseline.updateMany({ isRoom: 1 }, { $inc: { memberCount: -1 } })
  })
  return [{ what: 'erasing a user of 1,900 rooms', ms, bareMS, wantedMS: 5_000 }]
}

/** Waits for the job of a 202 response. */
async function awaitJob(api: Api, result: Record<string, unknown>): Promise<void> {
  const { job } = result
  if (typeof job !== 'string') return
  while ((await api.call('GET', `/admin/jobs/${job}?limit=1`))['state'] === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const orders = ['lastMessage', '-lastMessage', 'createdTime', '-createdTime', 'name', '-name']

/** Measures the lists and the badge of a user of 2,000 rooms, most of them read. */
export async function measureReading(api: Api, db: Db, rounds: number): Promise<SingleResult[]> {
  const headers = await makeCaller(api, 'reader')
  await makeUsers(api, 'writer', 1)
  const members = ['reader', 'writer 0']
  await inParallel(roomsOfReader, (i) =>
    api.call('POST', '/rooms/', { _id: `read ${i}`, roomType: 'group', name: `Room ${(i * 7) % 1_000}`, members }),
  )
  await inParallel(300, (i) =>
    api.call('POST', '/messages', { room: `read ${i * 6}`, sender: 'writer 0', message: 'x', messageType: 'text' }),
  )
  assert.equal((await api.call('GET', '/me/badge', undefined, headers))['badge'], 300)
  const memberships = db.collection('memberships')
  const bare = async () => {
    const own = await memberships.find({ user: 'reader' }, { batchSize: 5_000 }).project({ roomKey: 1 }).toArray()
    const keys = own.map(({ roomKey }) => roomKey)
    await db
      .collection('rooms')
      .find({ _id: { $in: keys } }, { batchSize: 5_000 })
      .project({ seq: 1 })
      .toArray()
  }
  const results: SingleResult[] = []
  const bareMS = await medianOf(10, bare)
  for (const sort of orders) {
    const path = `/rooms?limit=20&sortUnreadFirst=1&sort=${sort}`
    const read = () => api.call('GET', path, undefined, headers)
    assert.equal(((await read())['data'] as unknown[]).length, 20)
    results.push({ what: `GET /rooms, 20 of 2,000, ${sort}`, ms: await medianOf(rounds, read), bareMS, wantedMS: 100 })
  }
  const badge = () => api.call('GET', '/me/badge', undefined, headers)
  results.push({ what: 'badge over 2,000 rooms', ms: await medianOf(rounds, badge), bareMS, wantedMS: 30 })
  return results
}
