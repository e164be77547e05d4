import assert from 'node:assert/strict'
import { ackWaitSeconds } from '@parley/bus/stream/stream'
import { forKeys, limitPerApp } from '@parley/chat/limit-per-app'
import { proves } from '@parley/conformance/proves'
import { recordActiveUsers } from '@parley/db/statistics/active-users'
import { recordMessages } from '@parley/db/statistics/counted-messages'
import { recordPeaks } from '@parley/db/statistics/peaks'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const stats = async (query: Record<string, string | number> = {}) => {
  const asText = Object.entries(query).map(([name, value]) => [name, String(value)])
  return gateway.admin('GET', `/admin/stats?${new URLSearchParams(Object.fromEntries(asText)).toString()}`)
}

describe('GET /admin/stats', () => {
  test('returns every field, by default for the last 3600 seconds, and echoes the presented key', async () => {
    proves('GET /admin/stats', 'result.clientKey', 'result.apiKey', 'result.startTime', 'result.endTime')
    proves('GET /admin/stats', 'result.start', 'result.end', 'result.userList', 'result.roomCount')
    proves('GET /admin/stats', 'result.totalRoomCount', 'result.messageCount', 'result.peakConnectionCount')
    proves('GET /admin/stats', 'result.totalMem', 'result.freeMem')
    proves('Limits', 'GET /admin/stats: 3600 seconds by default')
    const { status, body } = await stats()
    assert.equal(status, 200, JSON.stringify(body))
    const { startTime, endTime, start, end, totalMem, freeMem, ...rest } = body.result
    assert.deepEqual(rest, {
      clientKey: gateway.clientKey,
      apiKey: gateway.apiKey,
      userList: [],
      roomCount: 0,
      totalRoomCount: 0,
      messageCount: 0,
      peakConnectionCount: 0,
    })
    assert.equal(end - start, 3600)
    assert.deepEqual([Date.parse(startTime), Date.parse(endTime)], [start * 1000, end * 1000])
    assert.ok(Math.abs(end * 1000 - Date.now()) < 60_000)
    assert.ok(freeMem > 0 && totalMem >= freeMem)
  })

  test('waits for the other queries of the app, and gets 429 if too many wait', async () => {
    const { limits } = gateway.chat
    const { queries } = limits
    limits.queries = limitPerApp('queries', { ...forKeys(1), inAll: 1, waiting: 0, waitMS: 60_000 })
    try {
      const other = Promise.withResolvers<void>()
      const before = limits.queries({ app: gateway.app }, () => other.promise)
      const refused = await stats()
      assert.deepEqual([refused.status, refused.body.error.code], [429, 'TOO_MANY_REQUESTS'])
      other.resolve()
      await before
      assert.equal((await stats()).status, 200)
    } finally {
      limits.queries = queries
    }
  })

  test("counts exactly the window's content, for any boundaries and repeated events", async () => {
    proves('Statistics report', 'roomCount: active rooms in the window', 'totalRoomCount: all rooms')
    proves('Statistics report', 'messageCount: messages in the window')
    const alice = await gateway.newUser('alice')
    const bob = await gateway.newUser('bob')
    const rooms = [await gateway.newRoom([alice, bob]), await gateway.newRoom([alice, bob])] as const
    await gateway.newRoom([alice])
    const now = Date.now()
    // Messages with past times, in the database and in the events.
    const ages: [age: number, room: 0 | 1, user: string][] = []
    const fact = (age: number, i: number) => ages.push([age, i % 7 === 0 ? 1 : 0, i % 5 === 0 ? 'bob' : 'alice'])
    for (let i = 0; i < 300; i++) fact(i * i * 1_009, i)
    // For that time only day buckets are kept.
    for (let i = 0; i < 40; i++) fact(86_400_000 * 50 + i * 2_400_000, i)
    // Imported with times in seconds, before a window and at its end: their IDs are not ordered by time.
    const secondsAgo = (seconds: number) => now - Math.floor((now - seconds * 1_000) / 1_000) * 1_000
    for (let i = 1; i < 6; i++) fact(secondsAgo(21), i)
    for (let i = 1; i < 6; i++) fact(secondsAgo(10), i)
    const seqs = [0, 0]
    const oldestFirst = ages.toSorted(([a], [b]) => b - a)
    const facts = oldestFirst.map(([age, which, user]) => {
      const room = rooms[which]
      return { app: gateway.app, room, user, seq: ++(seqs as [number, number])[which], atMS: now - age }
    })
    const { db } = gateway.chat
    await db.messages.insertMany(
      facts.map(({ app, room, user, seq, atMS }, i) => ({
        _id: String(facts.length - i).padStart(24, '0'),
        app,
        room,
        roomKey: `${app}\0${room}`,
        seq,
        sender: user,
        content: '1',
        messageType: 'n',
        createdAtMS: atMS,
        updatedAtMS: atMS,
      })),
    )
    for (const [i, room] of rooms.entries())
      await db.rooms.updateOne({ _id: `${gateway.app}\0${room}` }, { $set: { seq: seqs[i] ?? 0 } })
    await Promise.all([
      recordMessages(db, facts.slice(0, 200)),
      recordMessages(db, facts.slice(100)),
      recordMessages(db, facts),
    ])
    const windows = [
      [now - 3_600_000, now + 1_000],
      [now - 86_400_000, now - 1_234_000],
      [now - 61_000, now + 1_000],
      [now - 20_000, now - 9_000],
      [now - 86_400_000 * 25, now + 1_000],
      [now - 86_400_000 * 2 - 12_345_000, now - 86_400_000 - 333_000],
      [now - 86_400_000 * 50 - 36_000_000, now - 86_400_000 * 50 - 10_000_000],
      [now - 86_400_000 * 50 - 1_000_000, now - 86_400_000 * 50 + 1_000_000],
      [now - 86_400_000 * 52, now - 86_400_000 * 50 - 5_000_000],
    ].map(([from = 0, to = 0]) => [Math.floor(from / 1000), Math.ceil(to / 1000)] as const)
    for (const [start, end] of windows) {
      const within = facts.filter(({ atMS }) => atMS >= start * 1000 && atMS < end * 1000)
      const { body } = await stats({ start, end })
      const { messageCount, roomCount, totalRoomCount, userList } = body.result
      assert.deepEqual(
        { messageCount, roomCount, totalRoomCount },
        { messageCount: within.length, roomCount: new Set(within.map(({ room }) => room)).size, totalRoomCount: 3 },
        JSON.stringify({ start, end }),
      )
      for (const { user } of within) assert.ok(userList.includes(user))
    }
    const [start, end] = windows[0] as readonly [number, number]
    const byTime = { startTime: new Date(start * 1000).toISOString(), endTime: new Date(end * 1000).toISOString() }
    assert.deepEqual(
      (await stats(byTime)).body.result.messageCount,
      (await stats({ start, end })).body.result.messageCount,
    )
  })

  test('connected users count as active too; the peak is the maximum in the window', async () => {
    proves('Statistics report', 'userList: users active in the window only')
    proves('Statistics report', 'peakConnectionCount: the peak of WebSocket connections in the window')
    const other = await startTestGateway()
    const { db } = other.chat
    const minute = Math.floor(Date.now() / 60_000)
    await recordActiveUsers(db, [{ app: other.app, user: 'quiet', atMS: Date.now() }])
    await recordPeaks(
      db,
      other.app,
      new Map([
        [minute - 2, 7],
        [minute - 1, 40],
        [minute - 600, 90],
      ]),
    )
    await recordPeaks(db, other.app, new Map([[minute - 1, 12]]))
    const { body } = await other.admin('GET', '/admin/stats')
    assert.deepEqual([body.result.userList, body.result.peakConnectionCount], [['quiet'], 40])
    const start = (minute - 700) * 60
    const whole = await other.admin('GET', `/admin/stats?start=${start}&end=${(minute + 1) * 60}`)
    assert.equal(whole.body.result.peakConnectionCount, 90)
    const earlier = await other.admin('GET', `/admin/stats?start=${start}&end=${(minute - 500) * 60}`)
    assert.deepEqual([earlier.body.result.userList, earlier.body.result.peakConnectionCount], [[], 90])
    await other.stop()
  })

  test('userList and the peak: only the window, whatever its length, age and time zone', async () => {
    proves('Statistics report', 'userList: users active in the window only')
    const other = await startTestGateway()
    try {
      const { app, chat } = other
      const minute = Math.floor(Date.now() / 60_000)
      const day = 24 * 60
      // A day of India, which begins 30 minutes past an hour of UTC.
      const inIndia = Math.floor((minute - 12 * day) / day) * day - 5.5 * 60
      const active = [minute - 3, minute - 2, inIndia - 1, inIndia, inIndia + day - 1, inIndia + day]
      await recordActiveUsers(
        chat.db,
        active.map((at) => ({ app, user: String(at), atMS: at * 60_000 })),
      )
      await recordPeaks(chat.db, app, new Map(active.map((at, i) => [at, 10 - i])))
      await recordPeaks(chat.db, app, new Map([[minute - 2, 50]]))
      const figures = async (start: number, end: number) => {
        const { body } = await other.admin('GET', `/admin/stats?start=${start * 60}&end=${end * 60}`)
        return [body.result.userList, body.result.peakConnectionCount]
      }
      const within = (start: number, end: number) => active.filter((at) => at >= start && at < end).map(String)
      const long = minute - 2 - 31 * day
      assert.deepEqual(await figures(long, minute - 2), [within(long, minute - 2).toSorted(), 10])
      assert.deepEqual((await figures(inIndia, inIndia + day))[0], within(inIndia, inIndia + day).toSorted())
      assert.deepEqual((await figures(inIndia - 30, inIndia))[0], within(inIndia - 30, inIndia))
    } finally {
      await other.stop()
    }
  })

  test('the current second, with its sends, is part of the window and can be its first', async () => {
    const other = await startTestGateway()
    const alice = await other.newUser('alice')
    const room = await other.newRoom([alice])
    const sent = await other.admin('POST', '/messages', { room, sender: 'alice', message: 'x', messageType: 'text' })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    const atMS = sent.body.result.createdAtMS
    const startTime = new Date(atMS).toISOString()
    const start = Math.floor(Date.now() / 1000)
    for (const query of ['', `?startTime=${startTime}`]) {
      const { status, body } = await other.admin('GET', `/admin/stats${query}`)
      const { messageCount, roomCount, userList } = body.result
      assert.deepEqual([status, messageCount, roomCount, userList], [200, 1, 1, ['alice']], JSON.stringify(body))
      assert.ok(body.result.end * 1000 > atMS)
    }
    const { status, body } = await other.admin('GET', `/admin/stats?start=${start}`)
    assert.deepEqual([status, body.result?.start], [200, start], JSON.stringify(body))
    await other.stop()
  })

  test('events taken by a killed stats service are counted before another process gets them', async () => {
    const other = await startTestGateway()
    const alice = await other.newUser('alice')
    const room = await other.newRoom([alice])
    const key = { app: other.app, room, roomKey: `${other.app}\0${room}`, sender: 'alice' }
    const { db } = other.chat
    // The clock stands still throughout.
    vi.useFakeTimers({ toFake: ['Date'] })
    const atMS = Date.now() - ackWaitSeconds * 1_000
    await db.messages.insertOne({
      ...{
        _id: Math.floor(atMS / 1_000)
          .toString(16)
          .padEnd(24, '0'),
        ...key,
        seq: 1,
      },
      ...{ content: '1', messageType: 'n', createdAtMS: atMS, updatedAtMS: atMS },
    })
    await db.rooms.updateOne({ _id: key.roomKey }, { $set: { seq: 1 } })
    const { messageCount, roomCount, userList } = (await other.admin('GET', '/admin/stats')).body.result
    vi.useRealTimers()
    assert.deepEqual([messageCount, roomCount, userList], [1, 1, ['alice']])
    await other.stop()
  })

  test('a bad window is 400 INVALID_QUERY naming the parameter', async () => {
    const bad: [Record<string, string | number>, RegExp][] = [
      [{ start: 'x' }, /start/],
      [{ start: 100, end: 100 }, /start/],
      [{ start: 100, end: 50 }, /start/],
      [{ start: 0, end: 32 * 86_400 }, /31 days/],
      [{ end: 8_640_000_000_001 }, /end/],
      [{ endTime: '-8640000000000000' }, /start/],
      [{ startTime: 'yesterday' }, /startTime/],
      [{ end: 9_999_999_999 }, /^end:/],
      [{ endTime: '2999-01-01T00:00:00Z' }, /^endTime:/],
      [{ startTime: '2999-01-01T00:00:00Z' }, /^startTime:/],
      [{ start: 1, startTime: '2026-01-01T00:00:00Z' }, /startTime/],
    ]
    for (const [query, message] of bad) {
      const { status, body } = await stats(query)
      assert.deepEqual([status, body.error?.code], [400, 'INVALID_QUERY'], JSON.stringify(query))
      assert.match(body.error.message, message)
    }
  })

  test('a key without the platform permission is 403 PERMISSION_DENIED, a bad one 401 INVALID_API_KEY', async () => {
    proves('GET /admin/stats', '403 PERMISSION_DENIED', '401 INVALID_API_KEY')
    proves('GET /admin/connection-count', '403 PERMISSION_DENIED', '401 INVALID_API_KEY')
    for (const path of ['/admin/stats', '/admin/connection-count']) {
      const basic = await gateway.anonymous('GET', path, undefined, { 'im-api-key': gateway.basicKey })
      assert.deepEqual([basic.status, basic.body.error.code], [403, 'PERMISSION_DENIED'])
      const bad = await gateway.anonymous('GET', path, undefined, { 'im-api-key': 'x' })
      assert.deepEqual([bad.status, bad.body.error.code], [401, 'INVALID_API_KEY'])
    }
  })
})

describe('GET /admin/connection-count', () => {
  test('returns result.count, 0 without any', async () => {
    proves('GET /admin/connection-count', 'HTTP requests are not counted')
    const { status, body } = await gateway.admin('GET', '/admin/connection-count')
    assert.deepEqual([status, body.result], [200, { count: 0 }])
  })
})
