import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { addApiKey } from '@parley/chat/access/api-keys'
import { continueExport } from '@parley/chat/export/continue-export'
import { exportUser } from '@parley/chat/export/export-user'
import { checkNext, clearNext } from '@parley/chat/files/clear-files'
import { runJobs } from '@parley/chat/jobs/run-jobs'
import { workOnJob } from '@parley/chat/jobs/work-on-job'
import { importLine } from '@parley/contracts/import-line'
import type { KeyScope } from '@parley/contracts/scopes'
import { findFile } from '@parley/db/files/files'
import { leaseJob } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { newTokenDoc } from '@parley/db/users/tokens'
import type { FileStore } from '@parley/files/file-store'
import { eventually } from '@parley/stack/eventually'
import { linesIn, unzipped } from '@parley/stack/test-unzip'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'
import { png, upload } from '../files/test-files.ts'

let gateway: TestGateway
let alice: TestUser
let bob: TestUser
beforeAll(async () => {
  gateway = await startTestGateway()
  alice = await gateway.newUser('alice', { nickname: 'Alice', email: 'alice@example.com' })
  bob = await gateway.newUser('bob')
})
afterAll(() => gateway.stop())

const send = async (room: string, sender: string, message: unknown, more: object = {}) => {
  const { status, body } = await gateway.admin('POST', '/messages', {
    room,
    sender,
    message,
    messageType: 'text',
    ...more,
  })
  assert.ok(status < 300, JSON.stringify(body))
  return body.result
}
async function begin(user: string): Promise<string> {
  const { status, body } = await gateway.admin('POST', `/admin/clients/${user}/export`)
  assert.equal(status, 202, JSON.stringify(body))
  return body.result.job
}
const jobOf = async (id: string) => (await gateway.admin('GET', `/admin/jobs/${id}`)).body.result
async function finished(id: string) {
  await eventually('the export is finished', async () => (await jobOf(id)).state === 'done')
  return jobOf(id)
}
async function fetched(job: { export: { url: string; size: number } }) {
  const answer = await fetch(job.export.url)
  assert.equal(answer.status, 200, job.export.url)
  const zip = Buffer.from(await answer.arrayBuffer())
  assert.equal(zip.length, job.export.size)
  return unzipped(zip)
}

describe('the export of a user', () => {
  test('has all data about them, and nothing written by others', async () => {
    const room = await gateway.newRoom([alice, bob], { name: 'Team' })
    const direct = await gateway.newRoom([alice, bob], { roomType: 'direct' })
    const left = await gateway.newRoom([alice, bob])
    const ofBob = await send(room, 'bob', 'secret of bob')
    const number = '{"room":"ROOM","sender":"alice","messageType":"text","message":{"n":12345678901234567890}}'
    await gateway.admin('POST', '/messages', number.replace('ROOM', room))
    const inThread = await send(room, 'alice', 'thread', { replyTo: ofBob._id, thread: true })
    await send(direct, 'alice', 'direct')
    const inLeft = await send(left, 'alice', 'left')
    await alice.call('POST', `/messages/${inLeft._id}/reaction`, { reaction: '👋' })
    await alice.call('POST', `/rooms/${left}/delete/members`, { members: ['alice'] })
    const fileID = await upload(alice.call, png, { name: 'a.png', type: 'image/png' })
    await send(room, 'alice', 'file', { attachments: [{ fileID }] })
    const longName = await upload(alice.call, png, { name: `${'長'.repeat(190)}.png`, type: 'image/png' })
    await alice.call('POST', `/messages/${ofBob._id}/reaction`, { reaction: '👍' })
    await bob.call('POST', `/messages/${ofBob._id}/reaction`, { reaction: '👎' })
    await alice.call('POST', '/me/pref/theme', { data: { dark: true } })
    await alice.call('PUT', '/me/notifications', { level: 'mentions' })
    await alice.call('PUT', `/me/notifications/rooms/${room}`, { level: 'none' })
    await alice.call('PUT', `/me/notifications/threads/${ofBob._id}`, { level: 'all' })
    await alice.call('POST', '/me/subscribe', { type: 'fcm', token: 'push token', deviceId: 'phone' })
    await alice.call('POST', '/blockStatus/my/bob')
    const club = await gateway.newRoom([bob], { owner: 'bob' })
    await bob.call('POST', `/rooms/${club}/members`, { invitees: ['alice'], invitationRequired: true })
    await alice.call('POST', `/roomPrefs/${room}`, { sticky: true })
    await alice.call('POST', `/messages/${ofBob._id}/report`, { reason: 'rude' })
    await bob.call('POST', `/messages/${inThread._id}/report`, { reason: 'of bob' })
    await send(room, 'alice', 'later', { sendAtMS: Date.now() + 3_600_000 })
    await alice.call('PUT', `/me/bookmarks/${ofBob._id}`)
    await alice.call('POST', '/me/reminders', { message: inThread._id, remindAtMS: Date.now() + 3_600_000 })
    await alice.call('PUT', `/rooms/${room}/lastRead`, { message: ofBob._id })
    await alice.call('POST', '/messages/user-delete', { room, messages: [inThread._id] })
    await alice.call('POST', '/messages/user-delete/all-in-room', { room: direct })

    const login = { issuerId: 'removed', issuedAt: new Date(), signed: '' }
    const ofRemoved = newTokenDoc({ app: gateway.app, user: 'alice' }, 'digest', new Date(Date.now() + 60_000), {
      login,
    })
    await gateway.chat.db.tokens.insertOne(ofRemoved)

    const address = { port: 1, family: 'IPv4', address: '192.0.2.1' }
    const lastConnection = { address, userAgent: 'Phone', lastLoginTimeMS: 1, lastSeenMS: 2 }
    const { users } = gateway.chat.db
    const unset = { lastJoinOrCreateRoomTime: 1 } as const
    await users.updateOne({ _id: key(gateway.app, 'alice') }, { $set: lastConnection, $unset: unset })

    const job = await finished(await begin('alice'))
    const files = await fetched(job)
    const lines = linesIn(files['import.ndjson'])
    for (const line of lines) assert.equal(importLine.safeParse(line).error, undefined, JSON.stringify(line))
    const of = (type: string) => lines.filter((line) => line.type === type)
    const user = { _id: 'alice', nickname: 'Alice', email: 'alice@example.com', notifications: { level: 'mentions' } }
    assert.partialDeepStrictEqual(of('user'), [user])
    assert.deepEqual(
      new Set(of('message').map(({ message }) => message)),
      new Set([{ n: Number('12345678901234567890') }, 'thread', 'direct', 'left', 'file']),
    )
    assert.match(files['import.ndjson'] ?? '', /12345678901234567890/)
    assert.equal(of('message').find(({ message }) => message === 'thread').threadOf, ofBob._id)
    assert.partialDeepStrictEqual(
      of('membership').find((line) => line.room === room),
      { lastReadSeq: 1, pref: { sticky: true }, notifications: { level: 'none' } },
    )
    assert.deepEqual(new Set(of('room').map(({ _id }) => _id)), new Set([room, direct]))
    assert.deepEqual(
      of('pref').map(({ data }) => data),
      [{ dark: true }],
    )
    assert.partialDeepStrictEqual(of('device'), [{ deviceId: 'phone', network: 'fcm' }])
    assert.partialDeepStrictEqual(of('block'), [{ type: 'block', blocker: 'alice', blockee: 'bob' }])
    assert.deepEqual(
      new Set(linesIn(files['reactions.ndjson'])),
      new Set([
        { room, message: ofBob._id, reactions: ['👍'] },
        { room: left, message: inLeft._id, reactions: ['👋'] },
      ]),
    )
    const ofThread = { type: 'thread', room, threadOf: ofBob._id, user: 'alice', lastReadSeq: 1 }
    const [thread, ...none] = linesIn(files['threads.ndjson'])
    assert.deepEqual([thread, none], [{ ...ofThread, joinedAt: thread.joinedAt, notifications: { level: 'all' } }, []])
    assert.deepEqual(
      new Set(linesIn(files['deletions.ndjson'])),
      new Set([
        { type: 'deletion', room, user: 'alice', message: inThread._id },
        { type: 'deletion', room: direct, user: 'alice', upToSeq: 1 },
      ]),
    )
    assert.partialDeepStrictEqual(linesIn(files['invitations.ndjson']), [
      { type: 'invitation', room: club, invitee: 'alice', inviter: 'bob' },
    ])
    assert.deepEqual(linesIn(files['connection.ndjson']), [lastConnection])
    assert.equal(linesIn(files['tokens.ndjson']).length, 1)
    assert.doesNotMatch(files['tokens.ndjson'] ?? '', new RegExp(alice.token))
    assert.deepEqual(
      linesIn(files['scheduled.ndjson']).map(({ message }) => message),
      ['later'],
    )
    assert.partialDeepStrictEqual(linesIn(files['bookmarks.ndjson']), [
      { type: 'bookmark', user: 'alice', room, message: ofBob._id },
    ])
    assert.partialDeepStrictEqual(linesIn(files['reminders.ndjson']), [
      { type: 'reminder', user: 'alice', room, message: inThread._id },
    ])
    assert.deepEqual(
      linesIn(files['reports.ndjson']).map(({ as, reasons }) => [as, reasons?.[0].reason]),
      [
        ['sender', undefined],
        ['reporter', 'rude'],
      ],
    )
    assert.ok(linesIn(files['audit.ndjson']).some(({ action }) => action === 'exportUser'))
    assert.match(files[`files/${fileID}-a.png`] ?? '', /PNG/)
    assert.match(files[`files/${longName}-${'長'.repeat(75)}.png`] ?? '', /PNG/)
    const everything = JSON.stringify(files)
    for (const word of ['secret of bob', 'of bob', '👎']) assert.doesNotMatch(everything, new RegExp(word))
    const { done, total } = job.progress
    assert.equal(done, total)
    assert.equal(
      done,
      Object.entries(files).flatMap(([name, text]) => (name.endsWith('.ndjson') ? linesIn(text) : [])).length,
    )
  })

  test('has each line once though a worker that lost its lease still stores its lines and its ZIP', async () => {
    const { chat, store, app } = gateway
    const room = await gateway.newRoom([await gateway.newUser('frank'), bob])
    await send(room, 'frank', 'first')
    const [asked, stored, zipped] = Array.from({ length: 3 }, () => Promise.withResolvers<undefined>())
    const [goOn, finish] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
    assert.ok(asked && stored && zipped)
    const slow: FileStore = {
      ...store,
      async keep(...piece) {
        asked.resolve(undefined)
        await goOn.promise
        await store.keep(...piece)
        stored.resolve(undefined)
      },
    }
    const { result } = await exportUser(chat, slow, app, 'frank')
    await asked.promise
    await send(room, 'frank', 'second')
    const takeOver = async (worker: string, by: FileStore) => {
      await chat.db.jobs.updateOne({ _id: key(app, result.job) }, { $set: { leaseUntilMS: 0 } })
      const job = await leaseJob(chat.db, worker)
      assert.equal(job?.id, result.job)
      return workOnJob(chat, job, () => continueExport(chat, by, job))
    }
    let kept = 0
    const second = takeOver('second', {
      ...store,
      async keep(...piece) {
        if (kept++ === 1) {
          goOn.resolve(undefined)
          await stored.promise
        }
        await store.keep(...piece)
      },
      async keepStream(...zip) {
        const size = await store.keepStream(...zip)
        zipped.resolve(undefined)
        await finish.promise
        return size
      },
    })
    await Promise.race([zipped.promise, second])
    assert.equal(await takeOver('third', store), true)
    const files = await fetched(await jobOf(result.job))
    finish.resolve(undefined)
    assert.equal(await second, false)
    assert.deepEqual(await fetched(await jobOf(result.job)), files)
    const texts = linesIn(files['import.ndjson']).flatMap(({ type, message }) => (type === 'message' ? [message] : []))
    assert.deepEqual(texts, ['first', 'second'])
    const id = (await chat.db.jobs.findOne({ _id: key(app, result.job) }))?.export?.file ?? ''
    const folder = dirname(join(store.root, store.pathOf(id, 'x')))
    await eventually('only the ZIP is left', async () => (await readdir(folder)).length === 1)
  })

  test('waits while its process has enough jobs', async () => {
    const { chat, store, app } = gateway
    const busy = Promise.withResolvers<undefined>()
    for (let n = 0; n < 4; n++) chat.jobs.track(busy.promise)
    const id = await begin('bob')
    const waiting = await chat.db.jobs.findOne({ _id: key(app, id) })
    assert.deepEqual([waiting?.leaseUntilMS, waiting?.done], [waiting?.createdAtMS, 0])
    const worker = runJobs(chat, store)
    const { signal } = new AbortController()
    await worker.work(signal)
    assert.equal((await chat.db.jobs.findOne({ _id: key(app, id) }))?.leaseUntilMS, waiting?.createdAtMS)
    busy.resolve(undefined)
    await eventually('there is room', async () => !chat.jobs.isFull)
    await worker.work(signal)
    assert.ok((await fetched(await finished(id)))['import.ndjson'])
  })

  test('requires export:write: other scopes get 403 PERMISSION_DENIED', async () => {
    const job = await finished(await begin('bob'))
    const read = async (scope: KeyScope) => {
      const { apiKey } = await addApiKey(gateway.chat, gateway.app, { name: scope, scopes: [scope] })
      return gateway.anonymous('GET', `/admin/jobs/${job._id}`, undefined, { 'im-api-key': apiKey })
    }
    const { status, body } = await read('export:write')
    assert.deepEqual([status, body.result.export.size], [200, job.export.size])
    const fileId = new URL(job.export.url).pathname.split('/')[2]
    assert.equal((await gateway.admin('GET', `/files/${fileId}`)).body.error?.code, 'FILE_NOT_FOUND')
    assert.equal((await gateway.admin('POST', `/files/${fileId}/uploaded`)).body.error?.code, 'FILE_NOT_FOUND')
    for (const scope of ['messages:read', 'messages:write', 'users:write', 'export:read', 'stats:read'] as const) {
      const denied = await read(scope)
      assert.deepEqual([denied.status, denied.body.error?.code], [403, 'PERMISSION_DENIED'], scope)
      assert.doesNotMatch(denied.text, /url/i)
    }
  })

  test('is deleted after a day or with its user, and listed without its URL', async () => {
    const [carol, id] = [await gateway.newUser('carol'), await begin('carol')]
    const { export: made } = await finished(id)
    const { chat, store, app } = gateway
    const listed = (await gateway.admin('GET', `/admin/jobs?id=${id}&kind=export`)).body.result.data
    assert.deepEqual([listed.length, listed[0].export], [1, undefined])
    const fileId = new URL(made.url).pathname.split('/')[2] ?? ''
    const dayMS = 24 * 60 * 60 * 1_000
    assert.ok(Math.abs(made.urlExpiresAtMS - Date.now() - dayMS) < 60_000)
    assert.equal((await carol.call('GET', `/files/${fileId}`)).status, 404)
    await checkNext(chat, { store }, Date.now() + dayMS - 60_000, 'others')
    assert.equal((await fetch(made.url)).status, 200)
    while (await checkNext(chat, { store }, Date.now() + dayMS + 60_000, 'others')) continue
    assert.equal(await findFile(chat.db, app, fileId), null)
    while (await clearNext(chat, store, Date.now() + dayMS)) continue
    assert.equal((await fetch(made.url)).status, 404)
    assert.equal((await jobOf(id)).export, undefined)
    const again = await finished(await begin('carol'))
    assert.equal((await gateway.admin('DELETE', '/admin/clients/carol')).status, 200)
    assert.equal((await fetch(again.export.url)).status, 404)
    assert.equal((await gateway.admin('POST', '/admin/clients/carol/export')).body.error.code, 'CLIENT_NOT_FOUND')
  })
})

describe('POST /me/export', () => {
  const mine = async (user: TestUser) => user.call('GET', '/me/export')

  test("gives users their own data once a day, without others' actions", async () => {
    const [dora, eve] = [await gateway.newUser('dora'), await gateway.newUser('eve')]
    const room = await gateway.newRoom([dora, eve])
    const own = await send(room, 'dora', 'of dora')
    await send(room, 'eve', 'of eve')
    await eve.call('POST', `/messages/${own._id}/report`, { reason: 'of eve too' })
    await gateway.admin('POST', '/admin/clients', { _id: 'dora', nickname: 'Dora' })
    refused(await mine(dora), 404, 'JOB_NOT_FOUND')
    const begun = await dora.call('POST', '/me/export')
    assert.equal(begun.status, 202, begun.text)
    await eventually('it is finished', async () => (await mine(dora)).body.result.state === 'done')
    const { result } = (await mine(dora)).body
    assert.equal(result._id, begun.body.result.job)
    const files = await fetched(result)
    const messages = linesIn(files['import.ndjson']).filter(({ type }) => type === 'message')
    assert.deepEqual(
      messages.map(({ message }) => message),
      ['of dora'],
    )
    assert.equal('audit.ndjson' in files, false)
    assert.doesNotMatch(JSON.stringify(files), /of eve/)
    refused(await mine(eve), 404, 'JOB_NOT_FOUND')

    const again = await dora.call('POST', '/me/export')
    refused(again, 429, 'TOO_MANY_REQUESTS')
    assert.ok(Number(again.headers.get('retry-after')) > 86_000)
    const job = { _id: key(gateway.app, begun.body.result.job) }
    await gateway.chat.db.jobs.updateOne(job, { $set: { state: 'failed' } })
    assert.equal((await dora.call('POST', '/me/export')).status, 202, 'one that failed does not count')
    const isDone = async () => (await mine(dora)).body.result.state === 'done'
    await eventually('it is finished', isDone)
    const dayMS = 86_400_000
    await gateway.chat.db.users.updateOne({ _id: key(gateway.app, 'dora') }, { $inc: { 'exported.atMS': -dayMS } })
    const both = await Promise.all([dora.call('POST', '/me/export'), dora.call('POST', '/me/export')])
    assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([202, 429]))
    await eventually('it is finished', isDone)
  })
})
