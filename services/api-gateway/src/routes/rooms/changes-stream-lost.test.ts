import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { ensureStreams } from '@parley/bus/stream/ensure-streams'
import { deleteStream, findStream } from '@parley/bus/stream/stream-state'
import { rebuildLostStreams } from '@parley/chat/events/rebuild-stream'
import { streamName } from '@parley/contracts/bus/streams'
import { findStreamState, insertStreamState } from '@parley/db/events/stream-state'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { replaceStream } from '@parley/wiring/stream-loss'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

const options = { maxAgeHours: 72, maxBytes: 2 ** 30, replicas: 1 }
const lost = streamName(1)

describe('GET /me/changes after the loss of one of two streams', () => {
  let servers: Servers
  let gateway: TestGateway
  beforeAll(async () => {
    servers = await isolatedServers()
    gateway = await startTestGateway({ servers })
    await ensureStreams(gateway.chat.bus, { ...options, count: 2 })
  })
  afterAll(async () => {
    await gateway.stop()
    await servers.stop()
  })

  const isIn = (to: { room: string } | { user: string }) =>
    gateway.chat.bus.streams.streamOf({ app: gateway.app, ...to }) === lost
  /** A user and a room whose events are all in the stream, or all outside of it. */
  async function made(inLost: boolean): Promise<{ user: TestUser; room: string }> {
    for (;;) {
      const user = await gateway.newUser()
      const room = await gateway.newRoom([user])
      if (isIn({ user: user.id }) === inLost && isIn({ room }) === inLost) return { user, room }
    }
  }
  const changes = ({ call }: TestUser, since: number) => call('GET', `/me/changes?since=${since}`)
  async function readTo(user: TestUser, room: string): Promise<string> {
    const { body } = await gateway.admin('POST', '/messages', {
      ...{ room, sender: user.id, message: 'x', messageType: 'text' },
    })
    const message = String(body.result._id)
    assert.equal((await user.call('PUT', `/rooms/${room}/lastRead`, { message })).status, 200)
    return message
  }
  async function drained(): Promise<void> {
    const { db, outbox } = gateway.chat
    while ((await db.outbox.countDocuments({})) > 0) await pause(20)
    await outbox.drained()
  }

  test('it continues for users of other streams, and for all once the events are republished', async () => {
    const { bus, db } = gateway.chat
    const { user: alice, room } = await made(true)
    const { user: bob, room: other } = await made(false)
    const since = Date.now()
    await readTo(alice, room)
    await readTo(bob, other)
    await drained()
    const { created = '', lastSeq: seq = 0 } = (await findStream(bus, lost)) ?? {}
    const nowMS = Date.now()
    const state = { _id: lost, created, seq, seenAtMS: nowMS, handledUpToMS: nowMS, losses: 0 }
    await insertStreamState(db, state)
    await deleteStream(bus, lost)
    assert.equal(await replaceStream(db, bus, { ...options, index: 1 }, state), true)
    const last = await readTo(alice, room)
    await drained()
    assert.equal((await changes(bob, since)).body.result.rooms[0].room._id, other)
    assert.equal((await changes(alice, since)).status, 410)
    await rebuildLostStreams(gateway.chat).work(new AbortController().signal)
    assert.equal((await findStreamState(db, lost))?.rebuilding, undefined)
    const { status, body } = await changes(alice, since)
    assert.equal(status, 200, JSON.stringify(body))
    const [{ seq: messages, lastRead }] = body.result.rooms
    assert.deepEqual([messages, lastRead], [2, [{ memberID: alice.id, messageID: last }]])
    const long = nowMS - 300_000
    assert.equal((await changes(alice, long)).status, 410)
  })
})
