import assert from 'node:assert/strict'
import type { AppendOutcome, RoomAppend } from '@parley/contracts/bus/appends'
import { appendsSubject, gatewaysSubject } from '@parley/contracts/bus/subjects'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, beforeEach, describe, onTestFinished, test } from 'vitest'
import { type Bus, closeBus, connectBus } from '../connect.ts'
import { appendForOthers, followWriters } from './room-writers.ts'

const appendTo = (room: string): RoomAppend => {
  return { app: 'app', room, rev: null, mark: null, bytes: 9, messages: [{ _id: `in ${room}`, sender: 'bob' }] }
}
const rooms = Array.from({ length: 60 }, (_, i) => `app\0room ${i}`)
const written: AppendOutcome = { seq: 7, timesMS: [1_000] }

describe('the writer of a room', () => {
  let servers: Servers
  let bus: Bus
  let database: string
  let tests = 0
  beforeAll(async () => {
    servers = await isolatedServers(['nats'])
    bus = await connectBus(servers.natsUrl, 'writers')
  })
  afterAll(async () => {
    await closeBus(bus)
    await servers.stop()
  })
  beforeEach(() => {
    database = `of test ${tests++}`
  })

  function follow(self: string) {
    const outcomes: AppendOutcome[] = []
    const writers = followWriters(bus, { self, database, onOutcome: (outcome) => outcomes.push(outcome) })
    onTestFinished(() => writers.stop())
    return {
      outcomes,
      of: (room: string) => writers.writerOf(room) ?? self,
      ask: (writer: string, asked: RoomAppend[]) => writers.ask(writer, asked),
    }
  }
  async function announce(...gateways: { node: string; appendsIn?: string; leaving?: true }[]): Promise<void> {
    for (const gateway of gateways) bus.nats.publish(gatewaysSubject, JSON.stringify(gateway))
    await bus.nats.flush()
  }
  function answer(gateway: string, append: (room: RoomAppend) => Promise<AppendOutcome>) {
    const errors: unknown[] = []
    const appending = appendForOthers(bus, gateway, append, (error) => errors.push(error))
    onTestFinished(() => appending.stop())
    return { errors, stop: () => appending.stop() }
  }

  test('is the same for all gateways of a database that append for others; each writes some rooms', async () => {
    const [a, b] = [follow('a'), follow('b')]
    await announce({ node: 'a', appendsIn: database }, { node: 'b', appendsIn: database })
    await announce({ node: 'of another database', appendsIn: 'another' }, { node: 'of the release before' })
    assert.deepEqual(rooms.map(a.of), rooms.map(b.of))
    const counts = ['a', 'b'].map((name) => rooms.filter((room) => a.of(room) === name).length)
    assert.equal((counts[0] as number) + (counts[1] as number), 60)
    for (const count of counts) assert.ok(count > 15, `each writes about half: ${counts.join(' and ')}`)
    await announce({ node: 'b', leaving: true })
    assert.deepEqual(new Set(rooms.map(a.of)), new Set(['a']))
  })

  test('replies with what became of each room, in order; an error is one that is not known', async () => {
    const { errors } = answer('b', ({ room }) => {
      if (room === 'fails') return Promise.reject(new Error('MongoDB is away'))
      return Promise.resolve(room === 'changed' ? 'notWritten' : written)
    })
    const { ask, of, outcomes } = follow('a')
    const expected = [written, 'unknown', 'notWritten'] as const
    await announce({ node: 'a', appendsIn: database }, { node: 'b', appendsIn: database })
    const room = rooms.find((one) => of(one) === 'b') as string
    assert.deepEqual(await ask('b', ['room', 'fails', 'changed'].map(appendTo)), expected)
    assert.equal(of(room), 'a', 'it is not asked again soon')
    assert.deepEqual(outcomes, expected)
    assert.deepEqual(
      errors.map((error) => (error as Error).message),
      ['MongoDB is away'],
    )
  })

  test('that is gone has written nothing; it is not asked again, and its rooms get no other writer', async () => {
    const [a, b] = [follow('a'), follow('b')]
    const all = ['a', 'b', 'gone']
    await announce(...all.map((node) => ({ node, appendsIn: database })))
    const room = rooms.find((one) => a.of(one) === 'gone') as string
    assert.deepEqual(await a.ask('gone', [appendTo(room)]), ['notWritten'])
    assert.deepEqual(
      rooms.map(a.of),
      rooms.map((one) => (b.of(one) === 'gone' ? 'a' : b.of(one))),
    )
  })

  for (const [how, respond] of [
    ['does not reply', () => undefined],
    ['replies with what is none', (reply: (text: string) => void) => reply('{"outcomes":["maybe"]}')],
    ['replies about less than it was asked for', (reply: (text: string) => void) => reply('{"outcomes":[]}')],
  ] as const)
    test(`that ${how} may have written`, async () => {
      const subscription = bus.nats.subscribe(appendsSubject('b'), {
        callback: (_error, message) => respond((text) => void message.respond(text)),
      })
      onTestFinished(() => subscription.unsubscribe())
      assert.deepEqual(await follow('a').ask('b', [appendTo('room')]), ['unknown'])
    })

  test('that stops replies to what it was asked for before', async () => {
    const held = Promise.withResolvers<AppendOutcome>()
    const asked = Promise.withResolvers<void>()
    const { stop } = answer('b', () => {
      asked.resolve()
      return held.promise
    })
    const { ask } = follow('a')
    const asking = ask('b', [appendTo('room')])
    await asked.promise
    let isStopped = false
    const stopping = (async () => {
      await stop()
      isStopped = true
    })()
    assert.deepEqual(await ask('b', [appendTo('room')]), ['notWritten'])
    assert.ok(!isStopped)
    held.resolve(written)
    assert.deepEqual(await asking, [written])
    await stopping
  })
})
