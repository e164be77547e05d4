import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { perBucket } from '@parley/db/message-buckets/buckets'
import { newId } from '@parley/db/messages/messages'
import { insertFlushed } from '@parley/db/room-buffer/flush'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { newOperator, type TestOperator } from '../console/test-operator.ts'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'
import { recorded } from '../test-profiler.ts'
import { fillOperators, fillRecords } from './test-explained-records.ts'

/** An entry of the profiler, or an answer of explain(). */
type Document = Awaited<ReturnType<TestGateway['chat']['db']['mongo']['command']>>

/**
 * The database's profiler records every query of a request in a room with many messages. Each query must use an index and
 * examine no more than it returns, plus a constant, and explain() must show no sort.
 */
const [many, constant] = [3_000, 5]
const callsCursor = Buffer.from('["calls","2500","hook_x"]').toString('base64url')

describe('every query uses its index and examines no more than it returns', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let operator: TestOperator
  let room: string
  let ids: string[]
  let thread: { room: string; root: string; last: string }

  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
    const more = await Promise.all(Array.from({ length: 10 }, () => gateway.newUser()))
    ids = await fill((room = await gateway.newRoom([alice, bob, ...more], { owner: 'alice' })))
    for (let i = 0; i < 10; i++) await fill(await gateway.newRoom([alice, ...more], {}), 50)
    await fillRecords({ gateway, room, ids, many })
    await fillThreads()
    await fillOperators(gateway, many)
    operator = await newOperator(gateway, [{ app: gateway.app, role: 'owner' }])
  })
  afterAll(() => gateway.stop())

  /** Messages of alice in a room, as if sent. Every tenth is deleted for all or recalled; the ones beside them are deleted for bob. */
  async function fill(of: string, count = many): Promise<string[]> {
    const { db } = gateway.chat
    const roomKey = key(gateway.app, of)
    const messages = Array.from({ length: count }, (_, i) => ({
      _id: newId(),
      app: gateway.app,
      room: of,
      roomKey,
      seq: i + 1,
      sender: 'alice',
      messageType: 'text',
      createdAtMS: i + 1,
      updatedAtMS: i + 1,
      ...(i % 10 !== 0
        ? { content: '"x"' }
        : i % 20 === 0
          ? { isDeleted: true as const }
          : { recalled: true as const }),
    }))
    const isAsSent = ({ seq }: { seq: number }) => seq % 10 !== 1
    await insertFlushed(db, messages.filter(isAsSent))
    await db.messages.insertMany(messages.filter((message) => !isAsSent(message)))
    const hidden = messages.filter(({ seq }) => seq % 10 === 0)
    await db.userDeletions.insertMany(
      hidden.map(({ _id, seq }) => ({
        _id: key(gateway.app, of, 'bob', _id),
        roomKey,
        user: 'bob',
        message: _id,
        seq,
        sender: 'alice',
        deletedAtMS: 1,
      })),
    )
    const lastMessageID = messages.at(-1)?._id ?? ''
    await db.rooms.updateOne({ _id: roomKey }, { $set: { seq: count, lastMessageID, lastMessageAtMS: count } })
    await db.memberships.updateOne({ _id: key(gateway.app, of, 'alice') }, { $set: { uncounted: count } })
    await db.memberships.updateOne({ _id: key(gateway.app, of, 'bob') }, { $set: { uncounted: count / 5 } })
    return messages.map(({ _id }) => _id)
  }

  /** In a room of its own: one long thread, and some short ones, in which bob takes part. */
  async function fillThreads(): Promise<void> {
    const of = await gateway.newRoom([alice, bob])
    const roots = await fill(of, 50)
    const send = async (sender: string, replyTo?: string): Promise<string> => {
      const body = { room: of, sender, message: 'x', messageType: 'text', thread: true, replyTo }
      return (await gateway.admin('POST', '/messages', body)).body.result._id
    }
    for (let i = 0; i < 30; i++) await send('alice', roots[1])
    for (const root of roots.slice(2, 8)) await send('bob', root)
    thread = { room: of, root: roots[1] ?? '', last: await send('bob', roots[1]) }
  }

  /** The profiler's records of one request. */
  async function recordedOf(request: () => Promise<Answer>): Promise<Document[]> {
    const entries = await recorded(gateway, async () => {
      const { status, body } = await request()
      assert.equal(status, 200, JSON.stringify(body))
    })
    return entries.filter(
      ({ ns, op, planSummary }) => !ns.includes('system.') && op !== 'insert' && planSummary !== undefined,
    )
  }

  function examinesLittle(entry: Document): void {
    const { planSummary, nreturned = 0, nMatched = 0, keysExamined = 0, docsExamined = 0 } = entry
    const about = JSON.stringify({ command: entry['command'], planSummary, nreturned, keysExamined, docsExamined })
    assert.doesNotMatch(planSummary, /COLLSCAN/, about)
    const asked = JSON.stringify(entry['command']).match(/"\$in":\[[^\]]*\]/g) ?? []
    const named = asked.reduce((sum, list) => sum + list.split(',').length, 0)
    assert.ok(keysExamined <= 2 * (nreturned + nMatched) + named + constant, about)
    assert.ok(docsExamined <= nreturned + nMatched + named + constant, about)
  }

  async function explained({ command }: Document): Promise<void> {
    const { lsid: _l, $clusterTime: _c, txnNumber: _t, autocommit: _a, startTransaction: _s, ...rest } = command
    const { readConcern: _r, $db: _d, writeConcern: _w, $readPreference: _p, coordinator: _o, ...find } = rest
    const explanation = await gateway.chat.db.mongo.command({ explain: find, verbosity: 'executionStats' })
    const stages = [...JSON.stringify(explanation['queryPlanner'].winningPlan).matchAll(/"stage":"(\w+)"/g)]
    const names = stages.map(([, name]) => name)
    assert.ok(!names.includes('COLLSCAN') && !names.includes('SORT'), `${names.join(', ')}: ${JSON.stringify(find)}`)
    const { nReturned, totalDocsExamined, totalKeysExamined } = explanation['executionStats']
    examinesLittle({
      command,
      planSummary: names.join(),
      nreturned: nReturned,
      docsExamined: totalDocsExamined,
      keysExamined: totalKeysExamined,
    })
  }

  /** For an aggregation on rooms that joins other collections: each lookup uses an index and examines only its matches. */
  async function looksLittle({ command: { aggregate, pipeline } }: Document): Promise<string[]> {
    const { mongo } = gateway.chat.db
    const found = await mongo.collection(aggregate).aggregate(pipeline).toArray()
    const { stages } = await mongo.command({
      explain: { aggregate, pipeline, cursor: {} },
      verbosity: 'executionStats',
    })
    const looks: Document[] = stages.filter(({ $lookup }: Document) => $lookup)
    assert.ok(looks.length > 0)
    const count = (field: string) => found.reduce((sum, one) => sum + (one[field]?.length ?? 0), 0)
    for (const { $lookup, collectionScans, totalDocsExamined, totalKeysExamined, indexesUsed } of looks) {
      const about = JSON.stringify({ $lookup, indexesUsed, totalDocsExamined, totalKeysExamined })
      const length = count($lookup.as === 'inBucket' ? 'last' : $lookup.as)
      // Of all messages in the buckets of a page.
      const named = $lookup.as === 'deletions' ? 3 * perBucket : 0
      assert.deepEqual([Number(collectionScans), indexesUsed.length > 0], [0, true], about)
      assert.ok(totalDocsExamined <= length + constant, about)
      // A missing key is examined too.
      assert.ok(totalKeysExamined <= 2 * length + named + constant, about)
    }
    return looks.map(({ $lookup }) => $lookup.from)
  }

  const requests: [string, (middle: string) => Promise<Answer>, string[]][] = [
    ['history, latest', () => page(''), ['messages', 'users', 'userDeletions']],
    ['history, before a message', (middle) => page(`beforeMessage=${middle}`), ['messages']],
    ['history, after a message', (middle) => page(`afterMessage=${middle}`), ['messages']],
    ['history, after a time', () => page('afterTime=1500'), ['messages']],
    ['history, oldest', () => page('afterTime=0&limit=500'), ['messages']],
    ['history by creation', () => page('timeRangeField=createdAt'), ['messages']],
    ['history by creation, before', (m) => page(`timeRangeField=createdAt&beforeMessage=${m}`), ['messages']],
    ['history by creation, after', (m) => page(`timeRangeField=messageTime&afterMessage=${m}`), ['messages']],
    ['GET /rooms', () => alice.call('GET', '/rooms'), ['memberships', 'rooms', 'messages', 'users']],
    ['GET /me/badge', () => alice.call('GET', '/me/badge'), ['memberships', 'rooms']],
    ['lastRead of the last but one', () => read(bob, ids.at(-2) ?? ''), ['messages', 'memberships', 'userDeletions']],
    ['lastRead of the latest', () => read(bob, ids.at(-1) ?? ''), ['messages', 'memberships']],
    ['sending and settling', () => send(), ['rooms', 'memberships']],
    ['delete for me', () => hide(ids[1_001] ?? ''), ['messages', 'userDeletions', 'memberships']],
    ['delete all for me', () => bob.call('POST', '/messages/user-delete/all-in-room', { room }), ['memberships']],
    ['delete for all', () => remove(ids[2_001] ?? ''), ['messages', 'memberships', 'userDeletions']],
    ['operators of an app', () => operator.call('GET', '/operators?limit=10'), ['operators', 'operatorSessions']],
    ['sessions of an operator', () => operator.call('GET', '/operator/sessions'), ['operatorSessions']],
    ['a reaction', (middle) => alice.call('POST', `/messages/${middle}/reaction`, { reaction: '+' }), ['messages']],
  ]
  const isLook = ({ command }: Document) => command.pipeline?.some((stage: Document) => stage['$lookup']) ?? false
  const page = (query: string) => bob.call('GET', `/rooms/${room}/messages/v3?${query}`)
  const read = (user: TestUser, message: string) => user.call('PUT', `/rooms/${room}/lastRead`, { message })
  const send = async () => {
    const message = { room, sender: 'bob', message: 'x', messageType: 'text' }
    const answer = await gateway.admin('POST', '/messages', message)
    await gateway.chat.flusher.drained()
    return answer
  }
  const hide = (id: string) => alice.call('POST', '/messages/user-delete', { room, messages: [id] })
  const remove = (id: string) => gateway.admin('DELETE', `/rooms/${room}/messages/${id}`)

  for (const [name, request, collections] of requests) {
    test(name, async () => {
      const entries = await recordedOf(() => request(ids[1_501] ?? ''))
      const touched = new Set(entries.map(({ ns }) => ns.split('.').at(-1)))
      for (const entry of entries) {
        if (isLook(entry)) {
          for (const from of await looksLittle(entry)) touched.add(from)
          continue
        }
        examinesLittle(entry)
        if (entry['command'].find !== undefined) await explained(entry)
      }
      for (const collection of collections)
        assert.ok(touched.has(collection), `${collection} of ${[...touched].join()}`)
    })
  }

  const reads: [what: string, read: (middle: string) => Promise<Answer>, atMost: number][] = [
    ['the badge', () => bob.call('GET', '/me/badge'), 2],
    ['a room', () => alice.call('GET', `/rooms/${room}`), 1],
    ['a room whose messages the caller has all deleted', () => bob.call('GET', `/rooms/${room}`), 2],
    ['the list of a few rooms', () => alice.call('GET', '/rooms'), 2],
    ['the latest page of a room', () => page(''), 1],
    ['a page of a room by creation', () => page('timeRangeField=createdAt&limit=50'), 1],
    ['a page of a room after a time', () => page('afterTime=1500'), 1],
    ['a page of a room before a message', (middle) => page(`beforeMessage=${middle}`), 2],
    ['a page of a room after a message', (middle) => page(`afterMessage=${middle}`), 2],
    ['20 dead letters with their messages and rooms', () => gateway.admin('GET', '/admin/webhooks/failed?limit=20'), 7],
  ]
  for (const [what, read, atMost] of reads) {
    test(`${what} costs at most ${atMost} round trips with a recently used token`, async () => {
      const commands = async () => {
        await read(ids[1_501] ?? '')
        const entries = await recordedOf(() => read(ids[1_501] ?? ''))
        return entries.map(({ op, ns }) => `${op} ${ns}`)
      }
      await vi.waitUntil(async () => (await commands()).length <= atMost, { timeout: 100_000 })
    })
  }

  test('lastRead of an old message counts own messages from indexes and their buckets, and reads only deleted and recalled ones', async () => {
    const carol = await gateway.newUser('carol')
    const of = await gateway.newRoom([alice, carol])
    const messages = await fill(of)
    const path = `/rooms/${of}/lastRead`
    const entries = await recordedOf(() => alice.call('PUT', path, { message: messages[99] }))
    const count = entries.find(({ command }) => command.aggregate === 'messages')
    assert.deepEqual([count?.['docsExamined'], count?.['keysExamined'] <= many - 100 + 1], [0, true])
    const isCount = ({ command }: Document) => command.aggregate === 'messageBuckets'
    const inBuckets = entries.find(isCount)
    const atMost = Math.ceil((many - 100) / perBucket) + 1
    assert.ok(inBuckets?.['docsExamined'] <= atMost && inBuckets?.['keysExamined'] <= atMost + 1)
    const ofOthers = (await recordedOf(() => carol.call('PUT', path, { message: messages[98] }))).find(isCount)
    assert.equal(ofOthers?.['docsExamined'], 0)
    const rest = entries.filter((entry) => entry !== count && entry !== inBuckets)
    for (const entry of rest) examinesLittle(entry)
    const { body } = await alice.call('GET', '/rooms?sort=-createdTime&limit=1')
    assert.deepEqual([body.result.data[0]._id, body.result.data[0].unread], [of, 0])
  })

  const calls: [what: string, call: () => Promise<Answer>][] = [
    ['GET /rooms/{id}', () => bob.call('GET', `/rooms/${room}`)],
    ['PUT /rooms/{id}', () => alice.call('PUT', `/rooms/${room}`, { name: 'x' })],
    ['GET /messages/{id}/readers', () => bob.call('GET', `/messages/${ids[1_501] ?? ''}/readers`)],
    ['GET /admin/push/why', () => gateway.admin('GET', `/admin/push/why?message=${ids[1_501] ?? ''}&client=bob`)],
    ['GET /admin/push/devices', () => gateway.admin('GET', '/admin/push/devices?limit=2')],
    ['GET /admin/push/devices of a user', () => gateway.admin('GET', '/admin/push/devices?client=bob')],
    ['GET /admin/webhooks/calls', () => gateway.admin('GET', `/admin/webhooks/calls?since=0&room=${room}&limit=5`)],
    [
      'GET /admin/webhooks/calls of a page',
      () => gateway.admin('GET', `/admin/webhooks/calls?since=0&limit=5&cursor=${callsCursor}`),
    ],
    ['POST /admin/webhooks/calls/retry', () => gateway.admin('POST', '/admin/webhooks/calls/retry', { since: '2990' })],
    ['GET /admin/messages/{id}/trace', () => gateway.admin('GET', `/admin/messages/${ids[1_501] ?? ''}/trace`)],
    ['GET /admin/clients/{id}/badge', () => gateway.admin('GET', '/admin/clients/bob/badge')],
    ['GET /rooms/{id}/members', () => bob.call('GET', `/rooms/${room}/members?limit=5`)],
    ['POST /rooms/{id}/members', () => alice.call('POST', `/rooms/${room}/members`, { invitees: ['carl'] })],
    [
      'POST /rooms/{id}/delete/members',
      () => alice.call('POST', `/rooms/${room}/delete/members`, { members: ['carl'] }),
    ],
    ['POST /rooms/{id}/typing', () => bob.call('POST', `/rooms/${room}/typing`, { message: 'x' })],
    ['POST /blockStatus/room', () => alice.call('POST', `/blockStatus/room/${room}/bob`)],
    ['POST /messages/{id}/report', () => alice.call('POST', `/messages/${ids[1_501] ?? ''}/report`, { reason: 'x' })],
    ['GET /files/{id}', () => bob.call('GET', '/files/file 3')],
    ['POST /files', () => bob.call('POST', '/files', { name: 'a', size: 1 })],
    ['GET /messages/{id}/thread', () => bob.call('GET', `/messages/${thread.root}/thread?limit=5`)],
    ['GET /threads', () => bob.call('GET', '/threads?limit=5')],
    [
      'PUT /messages/{id}/thread/lastRead',
      () => alice.call('PUT', `/messages/${thread.root}/thread/lastRead`, { message: thread.last }),
    ],
    ['a message of a thread', () => gateway.admin('POST', '/messages', { ...toThread(), sender: 'bob' })],
    ['GET /rooms/{id}/pins', () => bob.call('GET', `/rooms/${room}/pins?limit=5`)],
    ['GET /invitations', () => bob.call('GET', '/invitations?limit=5')],
    ['GET /scheduled', () => alice.call('GET', '/scheduled?limit=5')],
    ['GET /scheduled of the app', () => gateway.admin('GET', '/scheduled?limit=5')],
    ['GET /admin/reports', () => gateway.admin('GET', '/admin/reports?limit=5')],
    ['GET /admin/reports of a room', () => gateway.admin('GET', `/admin/reports?limit=5&room=${room}&status=open`)],
    ['GET /admin/reports of a sender', () => gateway.admin('GET', '/admin/reports?limit=5&sender=alice')],
    ['GET /admin/reports by a user', () => gateway.admin('GET', '/admin/reports?limit=5&reporter=bob')],
    ['GET /blockStatus/room', () => alice.call('GET', `/blockStatus/room/${room}`)],
    ['DELETE /blockStatus/room', () => alice.call('DELETE', `/blockStatus/room/${room}/bob`)],
    ['POST /blockStatus/my', () => alice.call('POST', '/blockStatus/my/bob')],
    ['GET /blockStatus/my', () => alice.call('GET', '/blockStatus/my')],
    ['DELETE /blockStatus/my', () => alice.call('DELETE', '/blockStatus/my/bob')],
    ['POST /me/mute', () => bob.call('POST', `/me/mute/${room}`)],
    ['GET /me', () => bob.call('GET', '/me')],
    ['PUT /me/notifications', () => bob.call('PUT', '/me/notifications', { level: 'all' })],
    ['GET /me/notifications', () => bob.call('GET', '/me/notifications')],
    ['PUT /me/notifications/rooms', () => bob.call('PUT', `/me/notifications/rooms/${room}`, { level: 'all' })],
    ['GET /users/search', () => bob.call('GET', '/users/search?q=al')],
    ['GET /users/search in a room', () => bob.call('GET', `/users/search?q=al&room=${room}`)],
    ['PUT /rooms/{id}/delivered', () => bob.call('PUT', `/rooms/${room}/delivered`, { message: ids.at(-1) })],
    ['GET /rooms/{id}/commands', () => bob.call('GET', `/rooms/${room}/commands`)],
    ['GET /presence', () => bob.call('GET', '/presence?clients=alice&clients=bob')],
    ['POST /roomPrefs', () => bob.call('POST', `/roomPrefs/${room}`, { sticky: true })],
    ['POST /me/pref', () => bob.call('POST', '/me/pref/k', { data: 1 })],
    ['GET /me/pref', () => bob.call('GET', '/me/pref')],
    ['DELETE /me/pref', () => bob.call('DELETE', '/me/pref/k')],
    ['POST /me/subscribe', () => bob.call('POST', '/me/subscribe', { type: 'fcm', token: 't', deviceId: 'd' })],
    ['GET /me/webPushKey', () => bob.call('GET', '/me/webPushKey')],
    ['POST /me/unsubscribe', () => bob.call('POST', '/me/unsubscribe')],
    ['POST /config', () => gateway.admin('POST', '/config', { a: 1 })],
    ['DELETE /config', () => gateway.admin('DELETE', '/config/a')],
    ['GET /admin/clients by _id', () => gateway.admin('GET', '/admin/clients?q=%7B%22_id%22%3A%22carl%22%7D')],
    ['GET /admin/rooms/{id}', () => gateway.admin('GET', `/admin/rooms/${room}`)],
    ['GET /admin/rooms/{id}/members', () => gateway.admin('GET', `/admin/rooms/${room}/members?limit=5`)],
    ['GET /admin/rooms/{id}/messages', () => gateway.admin('GET', `/admin/rooms/${room}/messages`)],
    ['GET /admin/messages/{id}/thread', () => gateway.admin('GET', `/admin/messages/${thread.root}/thread?limit=5`)],
    ['GET /admin/rooms/{id}/pins', () => gateway.admin('GET', `/admin/rooms/${room}/pins?limit=5`)],
    ['GET /admin/rooms/{id}/bans', () => gateway.admin('GET', `/admin/rooms/${room}/bans`)],
    ['GET /admin/users', () => gateway.admin('GET', '/admin/users?limit=3')],
    ['GET /admin/users by last login', () => gateway.admin('GET', '/admin/users?limit=3&list=lastLogin&until=1500')],
    ['GET /admin/users who are banned', () => gateway.admin('GET', '/admin/users?limit=3&list=banned')],
    ['GET /admin/users that are robots', () => gateway.admin('GET', '/admin/users?limit=3&list=robots')],
    ['GET /admin/users by a name', () => gateway.admin('GET', '/admin/users?limit=3&q=al')],
    ['GET /admin/clients/{id}', () => gateway.admin('GET', '/admin/clients/bob')],
    ['GET /admin/clients/{id}/rooms', () => gateway.admin('GET', '/admin/clients/bob/rooms')],
    ['GET /admin/timeline of a user', () => gateway.admin('GET', '/admin/timeline?user=bob&from=0&limit=5')],
    ['GET /admin/timeline of a sender', () => gateway.admin('GET', '/admin/timeline?user=alice&from=0&limit=5')],
    [
      'GET /admin/timeline of a user in a room, at a time',
      () => gateway.admin('GET', `/admin/timeline?user=bob&room=${room}&from=0&to=1500&limit=5`),
    ],
    [
      'GET /admin/timeline of a room',
      () => gateway.admin('GET', `/admin/timeline?room=${room}&from=0&to=1500&limit=5`),
    ],
    ['GET /admin/jobs', () => gateway.admin('GET', '/admin/jobs?limit=5')],
    ['GET /admin/jobs by state', () => gateway.admin('GET', '/admin/jobs?limit=5&state=running')],
    ['GET /admin/jobs by kind', () => gateway.admin('GET', '/admin/jobs?limit=5&kind=erasure&until=2500')],
    ['GET /admin/audit', () => gateway.admin('GET', '/admin/audit?limit=5')],
    ['GET /admin/audit of a subject', () => gateway.admin('GET', '/admin/audit?limit=5&subject=user:alice')],
    ['GET /admin/audit of an action', () => gateway.admin('GET', '/admin/audit?limit=5&action=createRoom')],
    ['POST /admin/clients', () => gateway.admin('POST', '/admin/clients', { _id: 'carl', issueAccessToken: true })],
    ['DELETE /admin/clients/{id}/token', () => gateway.admin('DELETE', '/admin/clients/carl/token', {})],
  ]
  const toThread = () => ({ room: thread.room, message: 'x', messageType: 'text', thread: true, replyTo: thread.root })
  for (const [what, call] of calls) {
    test(what, async () => {
      await gateway.admin('POST', '/admin/clients/list', { data: [{ _id: 'carl', nickname: 'Carl' }] })
      const entries = await recordedOf(call)
      assert.ok(entries.length > 0)
      for (const entry of entries) {
        if (isLook(entry)) await looksLittle(entry)
        else examinesLittle(entry)
      }
    })
  }

  for (const sort of ['createdTime', 'lastMessageTime', 'name', 'memberCount', '-lastMessageTime']) {
    test(`GET /admin/rooms by ${sort} reads one index in order, and one page of rooms`, async () => {
      const { body } = await gateway.admin('GET', `/admin/rooms?limit=2&sort=${sort}`)
      await readsRooms(`limit=2&sort=${sort}&cursor=${body.result.cursor}`, 1)
    })
  }

  test('GET /admin/rooms by tag or by a word of the name reads only the rooms that have it', async () => {
    for (let i = 0; i < 4; i++) await gateway.newRoom([alice], { name: `Sought out ${i}`, roomTags: ['rare'] })
    await readsRooms(`limit=2&q=${encodeURIComponent('{"roomTags":"rare"}')}`, 1)
    await readsRooms('limit=2&search=OUT', 2)
  })

  async function readsRooms(query: string, queries: number): Promise<void> {
    const entries = await recordedOf(() => gateway.admin('GET', `/admin/rooms?${query}`))
    const found = entries.filter(({ command }) => command.find === 'rooms')
    assert.equal(found.length, queries)
    for (const entry of found) await explained(entry)
  }

  test('pending work of _all and the outbox has its own index', async () => {
    const { db } = gateway.chat
    const erasing = await db.rooms
      .find({ erasing: { $exists: true }, 'erasing.leaseUntilMS': { $lte: Date.now() } })
      .hint({ 'erasing.leaseUntilMS': 1 })
      .explain('executionStats')
    await gateway.chat.outbox.drained()
    const unpublished = await db.outbox
      .find({ atMS: { $lt: Date.now() } })
      .sort({ atMS: 1 })
      .explain('executionStats')
    assert.match(JSON.stringify(unpublished.queryPlanner.winningPlan), /IXSCAN/)
    for (const { executionStats } of [erasing, unpublished]) assert.equal(executionStats.totalDocsExamined, 0)
  })
})
