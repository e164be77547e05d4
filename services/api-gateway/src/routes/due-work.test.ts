import assert from 'node:assert/strict'
import { announceDue, runWorkers, type Worker } from '@parley/chat/jobs/run-workers'
import { streamName } from '@parley/contracts/bus/streams'
import { dueWork, findDueWork, givenUpAfterMS, type WorkKind, workKinds } from '@parley/db/due-work'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

type Document = Record<string, unknown>
const hour = 3_600_000
const waiting = 300

/** A document of each collection with work, due at a time. */
const documents: Record<Exclude<WorkKind, 'auditEntries'>, [collection: string, at: (ms: number) => Document]> = {
  abandonedMessages: ['rooms', (ms) => ({ bufferSinceMS: ms - givenUpAfterMS })],
  unpublished: ['outbox', (ms) => ({ atMS: ms - givenUpAfterMS })],
  lostStream: ['streamState', (ms) => ({ rebuilding: { leaseUntilMS: ms } })],
  deletedMessages: ['rooms', (ms) => ({ erasing: { leaseUntilMS: ms } })],
  expired: ['messages', (ms) => ({ expiresAtMS: ms })],
  retention: ['apps', (ms) => ({ retention: { nextMS: ms } })],
  scheduled: ['scheduled', (ms) => ({ nextMS: ms })],
  reminders: ['reminders', (ms) => ({ nextMS: ms })],
  silentStreams: ['messageStreams', (ms) => ({ closeAtMS: ms })],
  jobs: ['jobs', (ms) => ({ leaseUntilMS: ms })],
  files: ['files', (ms) => ({ checkAtMS: ms })],
  filesToClear: ['filesToClear', (ms) => ({ nextMS: ms })],
  apns: ['pushes', (ms) => ({ network: 'apns', dueAtMS: ms })],
  fcm: ['pushes', (ms) => ({ network: 'fcm', dueAtMS: ms })],
  web: ['pushes', (ms) => ({ network: 'web', dueAtMS: ms })],
  hms: ['pushes', (ms) => ({ network: 'hms', dueAtMS: ms })],
  relay: ['pushes', (ms) => ({ network: 'relay', dueAtMS: ms })],
  raisedHistory: ['raisedHistory', (ms) => ({ leaseUntilMS: ms })],
  calls: ['callQueues', (ms) => ({ target: 'one server', dueAtMS: ms })],
}

describe('due work', () => {
  let gateway: TestGateway
  const collection = (name: string) => gateway.chat.db.mongo.collection<{ _id: string }>(name)
  beforeAll(async () => {
    gateway = await startTestGateway()
    await collection('streamState').deleteMany({})
    await collection('apps').updateMany({}, { $set: { 'retention.nextMS': Date.now() + hour } })
  })
  afterAll(() => gateway.stop())

  test('of every kind is found by index, with its due time', async () => {
    const { db } = gateway.chat
    const nowMS = Date.now()
    // Unlike seqs and keys that must be unique.
    const own = (kind: string, i: number) => ({
      roomKey: `${kind} ${i}`,
      seq: i,
      once: `${kind} ${i}`,
      clientKey: `${kind} ${i}`,
      apiKeys: [{ digest: `${kind} ${i}` }],
    })
    for (const [kind, [name, at]] of Object.entries(documents)) {
      const docs = Array.from({ length: waiting }, (_, i) => ({
        _id: `${kind} ${i}`,
        ...own(kind, i),
        ...at(nowMS + hour + i),
      }))
      // Never many, and without an index.
      if (kind !== 'raisedHistory') await collection(name).insertMany(docs)
    }
    assert.deepEqual(await findDueWork(db), {})
    for (const [kind, [name, at]] of Object.entries(documents)) {
      const _id = kind === 'lostStream' ? streamName(0) : `${kind} due`
      await collection(name).insertOne({ _id, ...own(kind, waiting), ...at(nowMS - 5) })
    }
    const { auditEntries, ...due } = await findDueWork(db)
    assert.equal(auditEntries, undefined)
    assert.deepEqual(due, Object.fromEntries(Object.keys(documents).map((kind) => [kind, nowMS - 5])))
    await collection('auditUnsealed').insertOne({ _id: 'entry' })
    assert.deepEqual(Object.keys(await findDueWork(db)).toSorted(), workKinds.toSorted())

    const command = { explain: { aggregate: 'streamState', pipeline: dueWork(Date.now()), cursor: {} } }
    const plan = JSON.stringify(await db.mongo.command({ ...command, verbosity: 'executionStats' }))
    // Of the entries that wait, of which any will do, and of raised windows: each in the plan, and in its execution.
    assert.equal(plan.match(/"stage":"COLLSCAN"/g)?.length ?? 0, 4)
    const examined = Array.from(plan.matchAll(/"(?:totalDocsExamined|totalKeysExamined)":"?(\d+)/g), ([, count]) =>
      Number(count),
    )
    assert.ok(examined.length >= workKinds.length && Math.max(...examined) < 10, examined.join())
    for (const [name] of Object.values(documents)) await collection(name).deleteMany({ _id: / (due|\d+)$/ })
    await collection('auditUnsealed').deleteMany({})
    await collection('streamState').deleteMany({})
  })

  /** Until the test ends. */
  function run(worker: Worker): void {
    const stopping = new AbortController()
    const running = runWorkers(gateway.chat, [worker], stopping.signal)
    onTestFinished(() => {
      stopping.abort()
      return running
    })
  }

  test('is done, and retried while it fails', async () => {
    await collection('jobs').insertOne({ _id: 'due job', leaseUntilMS: 1 } as never)
    let times = 0
    const work = async () => {
      if (++times === 1) throw new Error('not yet')
      await collection('jobs').deleteMany({ _id: 'due job' })
    }
    run({ kinds: ['jobs'], work, onError: () => undefined })
    await vi.waitUntil(() => times === 2, { timeout: 60_000 })
  })

  test('starts when another process announces it', async () => {
    let isDone = false
    const work = async () => {
      isDone = true
    }
    run({ kinds: ['scheduled'], work, onError: () => undefined })
    await vi.waitUntil(
      () => {
        announceDue(gateway.chat, 'scheduled', Date.now())
        return isDone
      },
      { timeout: 60_000 },
    )
  })

  test('includes ending the transaction of a killed process, for which writes outside transactions wait', async () => {
    const { db } = gateway.chat
    const alice = await gateway.newUser('alice')
    const session = db.client.startSession()
    onTestFinished(() => session.endSession())
    session.startTransaction()
    await db.users.updateOne({ _id: key(gateway.app, alice.id) }, { $set: { nickname: 'half way' } }, { session })
    run({ kinds: [], work: async () => {}, onError: () => undefined })
    // The members' last join is written after the commit of the room.
    const made = await gateway.admin('POST', '/rooms/', { roomType: 'group', members: [alice.id] })
    assert.equal(made.status, 200, made.text)
  })
})
