import { randomBytes } from 'node:crypto'
import { MongoClient, ObjectId } from 'mongodb'

/** A measurement of one kind of bare transaction. */
export interface Job {
  kind: 'a room of two' | 'a member' | 'a user with a token'
  /** Concurrent clients. */
  clients: number
  seconds: number
}

/**
 * The baseline for writes, as a separate process: the minimal transactions with the same documents, w: majority and
 * journaled. Takes a job over IPC and replies with transactions per second.
 */
const [url = ''] = process.argv.slice(2)
const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true }, maxPoolSize: 300 })
const db = client.db('bench_baseline')
const collection = (name: string) => db.collection<{ _id: string }>(name)
const newId = () => new ObjectId().toHexString()
const text = (length: number) => randomBytes(length / 2).toString('hex')

const room = (_id: string) => ({
  ...{ _id, app: 'bench', id: _id, roomType: 'group', name: '', cover: '', description: '', webhook: '', botState: '' },
  ...{ botMode: false, encrypted: false, serviceStatus: 0, roomTags: [], extParams: '{}', status: 1, opening: 0 },
  ...{ managers: [], createdAtMS: Date.now(), seq: 0, clockMS: Date.now(), lastMessageAtMS: 0, memberCount: 2 },
  firstMembers: ['user 1', 'user 2'],
})
const membership = (of: string, user: string) => ({
  ...{ _id: `${of} ${user}`, app: 'bench', room: of, roomKey: of, user, userKey: `bench ${user}` },
  ...{ joinedAtMS: Date.now(), readSeq: 0, uncounted: 0 },
})
const note = (of: string) => ({
  _id: newId(),
  atMS: Date.now(),
  orderingKey: of,
  events: [{ id: newId(), json: text(200) }],
})

const transactions: Record<Job['kind'], () => Promise<void>> = {
  'a room of two': async () => {
    const id = newId()
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await collection('rooms').insertOne(room(id), { session })
        await collection('memberships').insertMany([membership(id, 'user 1'), membership(id, 'user 2')], { session })
        await collection('outbox').insertOne(note(id), { session })
      }),
    )
  },
  'a member': async () => {
    const id = newId()
    await client.withSession((session) =>
      session.withTransaction(async () => {
        const [_id] = rooms
        await collection('rooms').updateOne({ _id: rooms[next++ % rooms.length] ?? _id ?? '' }, change, { session })
        await collection('memberships').insertOne(membership(id, 'user 1'), { session })
        await collection('outbox').insertOne(note(id), { session })
      }),
    )
  },
  'a user with a token': async () => {
    const id = newId()
    await client.withSession((session) =>
      session.withTransaction(async () => {
        const at = { createdAt: new Date(), updatedAt: new Date() }
        const names = { nickname: '', description: '', avatarUrl: '', isRobot: false, isAdmin: false }
        await collection('users').insertOne({ _id: id, ...names, ...at, ...{ revision: 0 } }, { session })
        const token = { _id: text(64), user: id, userKey: id, digest: text(64), expiresAt: new Date() }
        await collection('tokens').insertOne(token, { session })
      }),
    )
  },
}
const change = { $set: { memberCount: 3, firstMembers: ['user 1', 'user 2', 'user 3'] } }
const rooms = Array.from({ length: 512 }, newId)
let next = 0

async function run({ kind, clients, seconds }: Job): Promise<number> {
  const endMS = performance.now() + seconds * 1000
  const startMS = performance.now()
  let done = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < endMS) {
        await transactions[kind]()
        done++
      }
    }),
  )
  return (done * 1000) / (performance.now() - startMS)
}

await client.connect()
for (const name of ['rooms', 'memberships', 'outbox', 'users', 'tokens']) await db.createCollection(name)
await collection('rooms').insertMany(rooms.map(room))
for (const fields of [{ userKey: 1 }, { roomKey: 1, joinedAtMS: 1, _id: 1 }, { roomKey: 1, readSeq: 1 }] as const) {
  await collection('memberships').createIndex(fields)
}
await collection('tokens').createIndex({ digest: 1 })
await collection('tokens').createIndex({ userKey: 1 })
process.on('message', (job: Job) => {
  void run(job).then((perSecond) => process.send?.(perSecond))
})
process.on('disconnect', () => void client.close())
process.send?.('ready')
