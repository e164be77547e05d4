import assert from 'node:assert/strict'
import { takeNextJob } from '@parley/chat/jobs/run-jobs'
import { ApiError } from '@parley/contracts/errors'
import { getJob, listJobs } from '@parley/contracts/operations/integrations/jobs'
import { sendBatch } from '@parley/contracts/operations/messages/messages'
import { insertJob } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { afterAll, beforeAll, beforeEach, describe, test, vi } from 'vitest'
import { type Answer, startTestGateway, type TestGateway } from '../../test-gateway.ts'

describe('work that exceeds the time limit of a request', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
    await gateway.newUser('alice')
  })
  beforeEach(() => {
    gateway.chat.jobs.afterMS = 0
  })
  afterAll(async () => {
    await gateway.chat.jobs.stop()
    await gateway.stop()
  })

  const batch = (paras: object[], headers: Record<string, string> = {}, sender = 'alice') =>
    gateway.admin('POST', '/messages/batch', { message: 'Hello', messageType: 'text', sender, paras }, headers)
  const job = (id: string, query = '') => gateway.admin('GET', `/admin/jobs/${id}${query}`)
  const accepted = ({ status, body }: Answer): string => {
    assert.equal(status, 202, JSON.stringify(body))
    assert.equal(body.RC, 0)
    return body.result.job
  }
  const finished = (id: string) =>
    vi.waitUntil(
      async () => {
        const { status, body } = await job(id)
        assert.equal(status, 200, JSON.stringify(body))
        return body.result.state === 'running' ? undefined : body.result
      },
      { timeout: 100_000, interval: 20 },
    )
  const messagesIn = async (room: string) => {
    await gateway.chat.flusher.drained()
    return (await findAllMessages(gateway.chat.db, { roomKey: key(gateway.app, room) })).length
  }

  test("a slow batch returns 202 with a job, which has each recipient's result in order, in pages", async () => {
    const bob = await gateway.newUser()
    const paras = Array.from({ length: 7 }, (_, i) => ({ receiver: i === 3 ? 'nobody' : bob.id }))
    const id = accepted(await batch(paras))
    const whole = await finished(id)
    assert.equal(getJob.result.safeParse(whole).error, undefined)
    assert.partialDeepStrictEqual(whole, { _id: id, kind: 'batch', state: 'done', progress: { done: 7, total: 7 } })
    const data: { result?: { seq: number }; error?: { code: string } }[] = whole.outcomes.data
    assert.deepEqual(
      data.map(({ result, error }) => error?.code ?? result?.seq),
      [1, 2, 3, 'CLIENT_NOT_FOUND', 4, 5, 6],
    )
    assert.deepEqual((await job(id, `?skip=${Number.MAX_SAFE_INTEGER}`)).body.result.outcomes.data, [])
    const page = (await job(id, '?skip=2&limit=3')).body.result.outcomes
    assert.deepEqual(page, { totalCount: 7, data: whole.outcomes.data.slice(2, 5) })
  })

  test('a batch that ends in time returns 200 with its results, and leaves no job', async () => {
    gateway.chat.jobs.afterMS = 30_000
    const bob = await gateway.newUser()
    const { status, body } = await batch([{ receiver: bob.id }])
    assert.equal(status, 200)
    assert.equal(sendBatch.result.safeParse(body.result).error, undefined)
    assert.equal(await gateway.chat.db.jobs.countDocuments({ done: 1, total: 1 }), 0)
  })

  test('a batch repeated under its Idempotency-Key sends nothing twice, as a job and without one', async () => {
    const bob = await gateway.newUser()
    const room = await gateway.newRoom([bob, { ...bob, id: 'alice' }])
    const headers = { 'idempotency-key': 'greeting of May' }
    const id = accepted(await batch([{ room }, { room }], headers))
    const { outcomes } = await finished(id)
    const again = await batch([{ room }, { room }], headers)
    assert.deepEqual([again.status, again.body.result], [200, outcomes.data])
    gateway.chat.jobs.afterMS = 30_000
    const other = { 'idempotency-key': 'greeting of June' }
    const first = (await batch([{ room }], other)).body.result
    assert.deepEqual((await batch([{ room }], other)).body.result, first)
    assert.equal(await messagesIn(room), 3)
  })

  test('batches of two senders under one Idempotency-Key are two jobs, and recipients get both', async () => {
    const bob = await gateway.newUser()
    const both = { roomType: 'group', members: ['alice', bob.id] }
    const room = (await gateway.admin('POST', '/rooms/', both)).body.result._id
    const headers = { 'idempotency-key': 'greeting of all' }
    const ids = [accepted(await batch([{ room }], headers)), accepted(await batch([{ room }], headers, bob.id))]
    for (const id of ids) assert.equal((await finished(id)).state, 'done')
    assert.equal(await messagesIn(room), 2)
    const { body } = await batch([{ room }], headers, bob.id)
    assert.equal(body.result[0].result?.sender, bob.id)
    assert.equal(await messagesIn(room), 2)
  })

  test('a day after its end the Idempotency-Key of a batch job is free for a new batch', async () => {
    const bob = await gateway.newUser()
    const room = await gateway.newRoom([bob, { ...bob, id: 'alice' }])
    const { db } = gateway.chat
    const headers = { 'idempotency-key': 'greeting of the day' }
    const id = accepted(await batch([{ room }], headers))
    const first = (await finished(id)).outcomes.data
    assert.equal(await messagesIn(room), 1)
    const end = (hoursAgo: number) =>
      db.jobs.updateOne(
        { _id: key(gateway.app, id) },
        { $set: { finishedAt: new Date(Date.now() - hoursAgo * 3_600_000) } },
      )
    await end(24)
    assert.deepEqual((await batch([{ room }], headers)).body.result, first)

    await end(25)
    await db.sendKeys.deleteMany({})
    assert.equal(accepted(await batch([{ room }, { room }], headers)), id)
    const { progress, outcomes } = await finished(id)
    assert.deepEqual(progress, { done: 2, total: 2 })
    assert.notEqual(outcomes.data[0].result._id, first[0].result._id)
    assert.deepEqual((await batch([{ room }, { room }], headers)).body.result, outcomes.data)
    assert.equal(await messagesIn(room), 3)
  })

  test('the same batch several times at once under its Idempotency-Key is one job, and sends nothing twice', async () => {
    const bob = await gateway.newUser()
    const room = await gateway.newRoom([bob, { ...bob, id: 'alice' }])
    const headers = { 'idempotency-key': 'greeting of July' }
    const paras = Array.from({ length: 300 }, () => ({ room }))
    const ids = (await Promise.all([1, 2, 3].map(() => batch(paras, headers)))).map(accepted)
    assert.equal(new Set(ids).size, 1)
    const { state, progress } = await finished(ids[0] ?? '')
    assert.deepEqual([state, progress.done], ['done', 300])
    assert.equal(await messagesIn(room), 300)
  })

  test('a job resumes after its worker died, and sends nothing twice', async () => {
    const bob = await gateway.newUser()
    const room = await gateway.newRoom([bob, { ...bob, id: 'alice' }])
    const { db } = gateway.chat
    const paras = Array.from({ length: 5 }, () => ({ room, patterns: {} }))
    const body = { message: 'once', messageType: 'text', sender: 'alice', push: true, skipTotalBadge: false, paras }
    const about = {
      app: gateway.app,
      kind: 'batch' as const,
      total: 5,
      batch: { json: JSON.stringify(body), name: 'left', request: 'r' },
    }
    const left = await insertJob(db, { ...about, id: 'left', done: 0 }, 'who died')
    // It sent two and died before it recorded that.
    await takeNextJob(gateway.chat)
    assert.equal((await job('left')).body.result.progress.done, 0, 'while the lease holds nobody takes it')
    for (const i of [0, 1]) {
      const headers = { 'idempotency-key': `batch left ${i}` }
      const sent = { room, sender: 'alice', message: 'once', messageType: 'text' }
      assert.equal((await gateway.admin('POST', '/messages', sent, headers)).status, 200)
    }
    await db.jobs.updateOne({ _id: left._id }, { $set: { leaseUntilMS: 0 } })
    assert.equal(await takeNextJob(gateway.chat), true)
    const { outcomes, progress } = await finished('left')
    assert.deepEqual(progress, { done: 5, total: 5 })
    assert.deepEqual(
      outcomes.data.map(({ result }: { result: { seq: number } }) => result.seq),
      [1, 2, 3, 4, 5],
    )
    assert.equal(await messagesIn(room), 5)
  })

  test('recipients missed while the database was unavailable, before the batch became a job, get the message from the job', async () => {
    const bob = await gateway.newUser()
    const room = await gateway.newRoom([bob, { ...bob, id: 'alice' }])
    const { chat } = gateway
    const real = { ...chat }
    const second = Promise.withResolvers<void>()
    let sends = 0
    chat.appendMessage = async (draft) => {
      sends += 1
      if (sends === 200) throw new ApiError('SERVICE_UNAVAILABLE')
      if (sends === 251) await second.promise
      return real.appendMessage(draft)
    }
    chat.jobs.afterMS = 2_000
    const id = accepted(await batch(Array.from({ length: 251 }, () => ({ room }))))
    second.resolve()
    await vi.waitUntil(() => chat.jobs.count === 0, { timeout: 100_000 })
    chat.appendMessage = (draft) => real.appendMessage(draft)
    await chat.db.jobs.updateOne({ _id: key(gateway.app, id), state: 'running' }, { $set: { leaseUntilMS: 0 } })
    await takeNextJob(chat)
    await finished(id)
    const pages = await Promise.all([0, 100, 200].map((skip) => job(id, `?skip=${skip}&limit=100`)))
    const outcomes: { result?: { seq: number } }[] = pages.flatMap(({ body }) => body.result.outcomes.data)
    const seqs = outcomes.map(({ result }) => result?.seq ?? 0)
    assert.deepEqual(
      seqs.toSorted((a, b) => a - b),
      Array.from({ length: 251 }, (_, i) => i + 1),
    )
    assert.equal(await messagesIn(room), 251)
  })

  test('an erasure returns 202; until its job ends the ID stays reserved, and a second erasure is the same job', async () => {
    const bob = await gateway.newUser('bob')
    const room = await gateway.newRoom([bob, { ...bob, id: 'alice' }])
    // Another process hangs in the middle of erasing them.
    const user = { user: 'bob', erasing: key(gateway.app, 'bob') }
    await gateway.chat.db.users.deleteOne({ _id: key(gateway.app, 'bob') })
    const about = { app: gateway.app, id: 'erasure', kind: 'erasure' as const, total: 1, done: 0, ...user }
    const standing = await insertJob(gateway.chat.db, about, 'another')
    for (const save of [
      () => gateway.admin('POST', '/admin/clients', { _id: 'bob', issueAccessToken: true }),
      () => gateway.admin('POST', '/admin/clients/list', { data: [{ _id: 'bob' }] }),
      () => gateway.admin('POST', '/admin/groups', { _id: 'bob', nickname: 'Bob', members: ['alice'] }),
    ]) {
      const { status, body } = await save()
      assert.deepEqual([status, body.error.code], [409, 'USER_EXISTS'])
      assert.match(body.error.message, /erasure/)
    }
    assert.equal(accepted(await gateway.admin('DELETE', '/admin/clients/bob')), 'erasure')
    await gateway.chat.db.jobs.updateOne({ _id: standing._id }, { $set: { leaseUntilMS: 0 } })
    await takeNextJob(gateway.chat)
    const ended = await finished('erasure')
    assert.partialDeepStrictEqual(ended, { kind: 'erasure', state: 'done', progress: { done: 1, total: 1 } })
    assert.equal(await gateway.chat.db.memberships.countDocuments({ user: 'bob', room }), 0)
    assert.equal((await gateway.newUser('bob')).id, 'bob')
  })

  test('a batch that progressed in its last attempt is not abandoned', async () => {
    const bob = await gateway.newUser()
    const room = await gateway.newRoom([bob, { ...bob, id: 'alice' }])
    const { chat } = gateway
    const { db, jobs } = chat
    const real = { ...chat }
    const paras = Array.from({ length: 150 }, () => ({ room, patterns: {} }))
    const body = { message: 'Hello', messageType: 'text', sender: 'alice', push: true, skipTotalBadge: false, paras }
    const work = { total: 150, done: 0, batch: { json: JSON.stringify(body), name: 'slow', request: 'r' } }
    const { _id } = await insertJob(db, { app: gateway.app, id: 'slow', kind: 'batch', ...work }, 'who died')
    await db.jobs.updateOne({ _id }, { $set: { attempts: 19, leaseUntilMS: 0 } })
    let sends = 0
    chat.appendMessage = (draft) => {
      sends += 1
      return sends > 100 ? Promise.reject(new ApiError('SERVICE_UNAVAILABLE')) : real.appendMessage(draft)
    }
    assert.equal(await takeNextJob(chat), true)
    await vi.waitUntil(() => jobs.count === 0, { timeout: 100_000 })
    chat.appendMessage = (draft) => real.appendMessage(draft)
    const { state, progress } = (await job('slow')).body.result
    assert.deepEqual([state, progress.done], ['running', 100])

    await db.jobs.updateOne({ _id }, { $set: { leaseUntilMS: 0 } })
    assert.equal(await takeNextJob(chat), true)
    assert.partialDeepStrictEqual(await finished('slow'), { state: 'done', progress: { done: 150, total: 150 } })
    assert.equal(await messagesIn(room), 150)
  })

  test('an erasure is retried until it succeeds, and the ID stays reserved until then', async () => {
    const { db, jobs } = gateway.chat
    const user = { user: 'eve', erasing: key(gateway.app, 'eve') }
    const about = { app: gateway.app, id: 'stubborn', kind: 'erasure' as const, total: 0, done: 0, ...user }
    const { _id } = await insertJob(db, about, 'who died')
    await db.jobs.updateOne({ _id }, { $set: { attempts: 19, leaseUntilMS: 0 } })
    const leaving = vi.spyOn(db.threadMembers, 'deleteMany').mockRejectedValueOnce(new Error('on purpose'))
    assert.equal(await takeNextJob(gateway.chat), true)
    await vi.waitUntil(() => jobs.count === 0, { timeout: 100_000 })
    leaving.mockRestore()
    assert.equal((await job('stubborn')).body.result.state, 'running')
    const taken = await gateway.admin('POST', '/admin/clients', { _id: 'eve', issueAccessToken: true })
    assert.deepEqual([taken.status, taken.body.error?.code], [409, 'USER_EXISTS'])

    await db.jobs.updateOne({ _id }, { $set: { leaseUntilMS: 0 } })
    assert.equal(await takeNextJob(gateway.chat), true)
    assert.equal((await finished('stubborn')).state, 'done')
    assert.equal((await gateway.newUser('eve')).id, 'eve')
  })

  test('jobs are listed by state, kind, time and ID, in pages, only in their app', async () => {
    const own = await startTestGateway()
    for (const [i, state] of (['done', 'running', 'failed', 'done', 'running'] as const).entries()) {
      const kind = i < 2 ? ('erasure' as const) : ('batch' as const)
      const job = {
        app: own.app,
        id: `job ${i}`,
        kind,
        total: 3,
        done: i,
        outcomes: [{ error: { code: 'X', message: 'secret' } }],
      }
      const { _id } = await insertJob(own.chat.db, job, 'another')
      await own.chat.db.jobs.updateOne({ _id }, { $set: { state, createdAtMS: 1_000 * Math.ceil(i / 2) } })
    }
    const list = async (query: string) => {
      const { status, body, text } = await own.admin('GET', `/admin/jobs?${query}`)
      assert.equal(status, 200, text)
      assert.ok(!text.includes('secret'), 'no outcomes')
      assert.equal(listJobs.result.safeParse(body.result).error, undefined)
      return body.result
    }
    const ids = async (query: string) => (await list(query)).data.map(({ _id }: { _id: string }) => _id)
    assert.deepEqual(await ids(''), ['job 4', 'job 3', 'job 2', 'job 1', 'job 0'])
    assert.deepEqual(await ids('state=running'), ['job 4', 'job 1'])
    assert.deepEqual(await ids('kind=erasure&state=done'), ['job 0'])
    assert.deepEqual(await ids('since=1000&until=1970-01-01T00:00:01Z'), ['job 2', 'job 1'])
    assert.deepEqual(await ids('id=job 3'), ['job 3'])
    const [three] = (await list('id=job 3')).data
    for (const [name, own, others] of [
      ['state', three.state, 'running'],
      ['kind', 'batch', 'erasure'],
      ['since', '2000', '2001'],
      ['until', '2000', '1999'],
    ]) {
      assert.deepEqual(await ids(`id=job 3&${name}=${own}`), ['job 3'])
      assert.deepEqual(await ids(`id=job 3&${name}=${others}`), [], name)
    }
    const walked: string[] = []
    for (let next = ''; ; ) {
      const { data, cursor } = await list(`limit=2&cursor=${next}`.replace(/&cursor=$/, ''))
      walked.push(...data.map(({ _id }: { _id: string }) => _id))
      if (cursor === undefined) break
      next = encodeURIComponent(cursor)
    }
    assert.deepEqual(walked, await ids(''))
    assert.deepEqual((await gateway.admin('GET', '/admin/jobs?id=job 3')).body.result, { data: [] })
    const others = (await gateway.admin('GET', '/admin/jobs')).body.result.data
    assert.ok(!others.some(({ _id }: { _id: string }) => _id.startsWith('job ')))
    for (const query of [
      'state=x',
      'kind=x',
      'since=x',
      'since=2&until=1',
      'cursor=x',
      'id=a&cursor=jobs 1 a',
      'limit=101',
    ])
      assert.equal((await own.admin('GET', `/admin/jobs?${query}`)).body.error.code, 'INVALID_QUERY', query)
    await own.stop()
  })

  test('a job is visible to its app only; an unknown one is 404 JOB_NOT_FOUND', async () => {
    const bob = await gateway.newUser()
    const id = accepted(await batch([{ receiver: bob.id }]))
    await finished(id)
    const other = await startTestGateway()
    for (const answer of [await other.admin('GET', `/admin/jobs/${id}`), await job('none')]) {
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'JOB_NOT_FOUND'])
    }
    await other.stop()
    const refused = await job(id, '?limit=x')
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'INVALID_QUERY'])
  })
})
