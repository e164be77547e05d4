import assert from 'node:assert/strict'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

interface Job {
  state: string
  progress: { done: number; total: number }
  outcomes: { totalCount: number; data: { result?: { room: string; seq: number } }[] }
}

/** The jobs run at the same time, so that they wait together for the leases of their killed gateways. */
describe.concurrent('a job survives kill -9 of its gateway', () => {
  let platform: Platform
  let other: RunningService
  let mongo: MongoClient
  const admin = () => ({ 'im-api-key': platform.apiKey })
  const db = () => mongo.db()

  beforeAll(async () => {
    platform = await startPlatform()
    other = await platform.start('api-gateway')
    mongo = await MongoClient.connect(platform.servers.mongoUrl)
    await platform.newUser('alice')
  })
  afterAll(async () => {
    await mongo.close()
    await platform.stop()
  })

  const startWorker = () => platform.start('api-gateway', { PARLEY_GATEWAY_JOB_AFTER_MS: '0' })
  async function makeUsers(prefix: string, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, i) => `${prefix} ${i}`)
    await platform.admin('POST', '/admin/clients/list', { data: ids.map((_id) => ({ _id })) })
    return ids
  }
  async function read(id: string, query = ''): Promise<Job> {
    const { status, body } = await call(other.url, 'GET', `/admin/jobs/${id}${query}`, admin())
    assert.equal(status, 200, JSON.stringify(body))
    return body.result as unknown as Job
  }

  /** Kills the worker once the job has progressed; resolves when another has finished the job. Asserts that progress never decreases. */
  async function killInTheMiddle(worker: RunningService, id: string): Promise<void> {
    let done = 0
    const look = async () => {
      const { state, progress } = await read(id, '?limit=1')
      assert.ok(progress.done >= done, `${progress.done} after ${done}`)
      done = progress.done
      return { state, ...progress }
    }
    await eventually('the job has progressed', async () => (await look()).done > 0)
    await worker.kill()
    const { state, total } = await look()
    assert.equal(state, 'running', 'killed in the middle')
    assert.ok(done < total)
    await eventually('another finishes the job', async () => (await look()).state === 'done', 120)
    assert.equal(done, total)
  }

  test('a batch: every recipient gets exactly one message and has a result', async () => {
    const worker = await startWorker()
    const receivers = await makeUsers('receiver', 600)
    const batch = { message: 'once', messageType: 'text', sender: 'alice' }
    const paras = receivers.map((receiver) => ({ receiver }))
    const answer = await call(worker.url, 'POST', '/messages/batch', admin(), { ...batch, paras })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    const id = String(answer.body.result['job'])
    await killInTheMiddle(worker, id)
    const pages = [await read(id, '?limit=300'), await read(id, '?skip=300&limit=300')]
    const outcomes = pages.flatMap((page) => page.outcomes.data)
    assert.equal(outcomes.length, receivers.length)
    assert.deepEqual(new Set(outcomes.map(({ result }) => result?.seq)), new Set([1]))
    assert.equal(new Set(outcomes.map(({ result }) => result?.room)).size, receivers.length)
    const twice = await db()
      .collection('rooms')
      .countDocuments({ roomType: 'direct', seq: { $ne: 1 } })
    assert.equal(twice, 0, 'rooms without exactly one message')
    const again = await call(
      other.url,
      'POST',
      '/messages/batch',
      { ...admin(), 'idempotency-key': 'other' },
      {
        ...{ ...batch, message: 'again' },
        paras: paras.slice(0, 1),
      },
    )
    assert.equal((again.body.result as unknown as { result: { seq: number } }[])[0]?.result.seq, 2)
  })

  test('an erasure: the user is in no room, and every room gets its event once', async () => {
    const worker = await startWorker()
    await makeUsers('erased', 1)
    const rooms = Array.from({ length: 250 }, (_, i) => `room ${i}`)
    for (let i = 0; i < rooms.length; i += 50) {
      const members = ['alice', 'erased 0']
      const some = rooms.slice(i, i + 50)
      await Promise.all(some.map((_id) => platform.admin('POST', '/rooms/', { _id, roomType: 'group', members })))
    }
    const answer = await call(worker.url, 'DELETE', '/admin/clients/erased%200', admin())
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    await killInTheMiddle(worker, String(answer.body.result['job']))
    assert.equal(await db().collection('memberships').countDocuments({ user: 'erased 0' }), 0)
    const left = { id: { $in: rooms }, memberCount: 1, firstMembers: ['alice'] }
    assert.equal(await db().collection('rooms').countDocuments(left), rooms.length)
    await eventually('everything is published', async () => (await db().collection('outbox').countDocuments()) === 0)
  })
  test('erasing a user’s content: every message is removed and counted once', async () => {
    const worker = await startWorker()
    await makeUsers('writer', 1)
    const rooms = Array.from({ length: 100 }, (_, i) => `room with content ${i}`)
    for (let i = 0; i < rooms.length; i += 50) {
      const members = ['alice', 'writer 0']
      const some = rooms.slice(i, i + 50)
      await Promise.all(some.map((_id) => platform.admin('POST', '/rooms/', { _id, roomType: 'group', members })))
      const sent = { sender: 'writer 0', message: 'secret', messageType: 'text' }
      await Promise.all(some.map((room) => platform.admin('POST', '/messages', { room, ...sent })))
    }
    const answer = await call(worker.url, 'DELETE', '/admin/clients/writer%200?content=delete', admin())
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    const id = String(answer.body.result['job'])
    const erased = async () => (await db().collection('jobs').findOne({ id }))?.['erased']?.messages ?? 0
    await eventually('some messages are erased', async () => (await erased()) > 0)
    await worker.kill()
    const before = await erased()
    assert.ok(before < rooms.length, 'killed in the middle')
    await eventually('another finishes the job', async () => (await read(id)).state === 'done', 120)
    const gone = { room: { $in: rooms }, isDeleted: true, content: { $exists: false } }
    assert.equal(await db().collection('messages').countDocuments(gone), rooms.length)
    const proofs = await db().collection('audit').find({ id }).toArray()
    const proof = { erased: { content: 'delete', messages: rooms.length, sparedRooms: 0 } }
    assert.deepEqual(
      proofs.map((entry) => JSON.parse(String(entry['after']))),
      [proof],
    )
  })
})
