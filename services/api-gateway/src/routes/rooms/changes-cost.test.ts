import assert from 'node:assert/strict'
import { publishEvent } from '@parley/bus/events/publish'
import { streamBounds } from '@parley/bus/stream/app-events'
import { readStreamState } from '@parley/bus/stream/stream-state'
import { streamName } from '@parley/contracts/bus/streams'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { recorded } from '../../test-profiler.ts'

/** Rooms in which nothing happens. */
const quietRooms = 2_000

interface Found {
  rooms: { room: { _id: string }; messages: boolean }[]
  removed: string[]
  complete: boolean
}

describe('GET /me/changes of a user in 2,000 rooms', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
    const { app } = gateway
    const memberships = Array.from({ length: quietRooms }, (_, i) => {
      const room = `quiet ${i}`
      const keys = { _id: key(app, room, 'bob'), roomKey: key(app, room), userKey: key(app, 'bob') }
      return { ...keys, app, room, user: 'bob', joinedAtMS: i, readSeq: 0, uncounted: 0 }
    })
    await gateway.chat.db.memberships.insertMany(memberships)
  })
  afterAll(() => gateway.stop())

  /** A cursor after the whole stream. */
  async function end(): Promise<string> {
    const { bus } = gateway.chat
    const { nowMS } = await readStreamState(bus, streamName(0))
    return `${Math.floor(nowMS)}-${(await streamBounds(bus, streamName(0))).lastSeq + 1}`
  }
  async function changes(since: string): Promise<Found> {
    const { status, body } = await bob.call('GET', `/me/changes?since=${since}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }
  async function untilSeen(since: string, isSeen: (found: Found) => boolean): Promise<Found> {
    for (;;) {
      const found = await changes(since)
      if (isSeen(found)) return found
    }
  }
  /** How many keys and documents the database examines. */
  const examined = (entries: Awaited<ReturnType<typeof recorded>>): number =>
    entries.reduce((sum, { keysExamined = 0, docsExamined = 0 }) => sum + keysExamined + docsExamined, 0)
  /** The fewest NATS messages of several runs, since other messages of this process can interleave. */
  async function toNats(request: () => Promise<unknown>): Promise<number> {
    const counts: number[] = []
    for (let i = 0; i < 5; i++) {
      const before = gateway.chat.bus.nats.stats().outMsgs
      await request()
      counts.push(gateway.chat.bus.nats.stats().outMsgs - before)
    }
    return Math.min(...counts)
  }
  const send = (room: string) =>
    gateway.admin('POST', '/messages', { room, sender: 'alice', message: 'x', messageType: 'text' })
  const has = (found: Found, rooms: readonly string[]) =>
    rooms.every((id) => found.rooms.some(({ room, messages }) => room._id === id && messages))

  test('examines changed rooms only, also after leaving some', async () => {
    const rooms = await Promise.all(Array.from({ length: 3 }, () => gateway.newRoom([alice, bob])))
    const left = await gateway.newRoom([alice, bob])
    const since = await end()
    await Promise.all(rooms.map(send))
    await gateway.admin('POST', `/rooms/${left}/delete/members`, { members: ['bob'] })
    await untilSeen(since, (found) => has(found, rooms) && found.removed.includes(left))
    const cost = examined(await recorded(gateway, () => changes(since)))
    assert.ok(cost > 0 && cost < quietRooms / 10, `${cost} keys and documents`)
  })

  test('finds the changes by one index of memberships, even if the app has many other changes', async () => {
    const rooms = await Promise.all(Array.from({ length: 3 }, () => gateway.newRoom([alice, bob])))
    const since = await end()
    await Promise.all(rooms.map(send))
    for (let n = 0; n < 12; n++) {
      const publishing = Array.from({ length: 100 }, (_, i) =>
        publishEvent(gateway.chat.bus, {
          ...{ to: { app: gateway.app, room: 'busy' }, event: 'chat message', json: '{}', id: `busy ${n} ${i}` },
        }),
      )
      await Promise.all(publishing)
    }
    const found = await untilSeen(since, (all) => has(all, rooms))
    assert.equal(found.complete, true)
    assert.deepEqual(found.rooms.map(({ room }) => room._id).toSorted(), rooms.toSorted())

    const entries = await recorded(gateway, () => changes(since))
    const isOfList = ({ command, originatingCommand = command }: (typeof entries)[number]) =>
      'userKey' in (originatingCommand.filter ?? {})
    const lists = entries.filter(isOfList)
    const looks = lists.map(({ planSummary, keysExamined, nreturned }) => [planSummary, keysExamined - nreturned])
    assert.ok(looks.length > 0)
    for (const look of looks) assert.deepEqual(look, ['IXSCAN { userKey: 1 }', 0])
    const rest = examined(entries) - examined(lists)
    assert.ok(rest < quietRooms / 10, `${rest} keys and documents beside the list`)

    // A cursor with a position needs no search for its time.
    const { firstSeq, lastSeq } = await streamBounds(gateway.chat.bus, streamName(0))
    const [time = ''] = since.split('-')
    const search = (await toNats(() => changes(time))) - (await toNats(() => changes(since)))
    const steps = Math.ceil(Math.log2(lastSeq - firstSeq + 2))
    // On a busy machine, each run can overlap with other messages of this process.
    assert.ok(search >= 5 && search <= 3 * steps, `${search} requests of NATS for a search of ${steps} steps`)
  })
})
