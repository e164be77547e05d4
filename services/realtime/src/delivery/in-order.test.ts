import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import type { EventPosition } from '@parley/bus/events/publish'
import { eventsOf } from '@parley/chat/send/publish'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { InOrder, type Missing, type WaitOutcome } from './in-order.ts'

type RoomAppend = Parameters<typeof eventsOf>[0]

const waitMS = 200
const room = { app: 'a', room: 'r' }
const topic = 'r\0a\0r'

function eventOf(name: ServerEvent, message: EventPosition, id = `${message.thread ?? ''}${name} ${message.seq}`) {
  return { to: room, event: name, id, data: new Uint8Array(10), message } satisfies IncomingEvent
}
const sent = (seq: number, more: Partial<EventPosition> = {}) =>
  eventOf('chat message', { seq, mayOvertake: true, ...more })
const edited = (seq: number, more: Partial<EventPosition> = {}) =>
  eventOf('messageUpdated', { seq, mayOvertake: true, ...more })

/** Takes events one at a time; `out` has the delivered ones, in order. */
function start() {
  const out: string[] = []
  const outcomes: WaitOutcome[] = []
  const order = new InOrder<IncomingEvent>({
    waitMS,
    deliver: ({ event, message }) => out.push(`${event === 'chat message' ? '' : event} ${message?.seq}`.trim()),
    waited: (outcome) => outcomes.push(outcome),
  })
  return { order, out, outcomes, take: (...events: IncomingEvent[]) => events.forEach((one) => order.take(one, 0)) }
}

describe('the messages of a room', () => {
  test('go out by seq: early ones wait for those before them', () => {
    const { take, out, outcomes } = start()
    take(sent(1), sent(4), sent(3), sent(2), sent(5))
    assert.deepEqual(out, ['1', '2', '3', '4', '5'])
    assert.deepEqual(outcomes, ['came', 'came'])
  })

  test('wait no longer than the limit; later arrivals go out at once', () => {
    const { order, take, out, outcomes } = start()
    take(sent(1), sent(3))
    order.expire(waitMS - 1)
    assert.deepEqual(out, ['1'])
    order.expire(2 * waitMS)
    take(sent(4), sent(2))
    assert.deepEqual(out, ['1', '3', '4', '2'])
    assert.deepEqual(outcomes, ['ran out'])
    assert.equal(order.isWaiting, false)
  })

  test('are fetched once if missing, and waited for while they can still come', async () => {
    const out: number[] = []
    const fetched: Missing[] = []
    const isComing = new Set([2])
    const order = new InOrder<IncomingEvent>({
      waitMS,
      deliver: ({ message }) => out.push(message?.seq ?? 0),
      async fetch(missing) {
        fetched.push(missing)
        return isComing.has(missing.fromSeq) ? missing.fromSeq : undefined
      },
    })
    for (const seq of [1, 4]) order.take(sent(seq), 0)
    order.expire(waitMS)
    await setImmediate()
    order.expire(2 * waitMS)
    assert.deepEqual(out, [1])
    for (const seq of [3, 2]) order.take(sent(seq), 2 * waitMS)
    assert.deepEqual(out, [1, 2, 3, 4])

    order.take(sent(9), 2 * waitMS)
    order.expire(3 * waitMS)
    await setImmediate()
    order.expire(3.1 * waitMS)
    assert.deepEqual(out, [1, 2, 3, 4, 9])
    order.take(sent(11), 4 * waitMS)
    isComing.add(10)
    for (let part = 50; part < 110; part++) {
      order.expire((part / 10) * waitMS)
      await setImmediate()
    }
    assert.deepEqual(out, [1, 2, 3, 4, 9, 11])
    assert.deepEqual(fetched, [
      { topic, thread: undefined, fromSeq: 2, toSeq: 3 },
      { topic, thread: undefined, fromSeq: 5, toSeq: 8 },
      { topic, thread: undefined, fromSeq: 10, toSeq: 10 },
    ])
  })

  test('wait while they are being fetched, however long that takes', async () => {
    const out: number[] = []
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    const order = new InOrder<IncomingEvent>({
      waitMS,
      deliver: ({ message }) => out.push(message?.seq ?? 0),
      fetch: () => promise,
    })
    for (const seq of [1, 3]) order.take(sent(seq), 0)
    for (let part = 1; part < 100; part++) order.expire(part * waitMS)
    assert.deepEqual(out, [1])
    resolve(2)
    await setImmediate()
    order.expire(100 * waitMS)
    order.expire(104 * waitMS)
    assert.deepEqual(out, [1])
    order.expire(105 * waitMS)
    assert.deepEqual(out, [1, 3])
  })

  test('begin with the first one received, unless the previous one can still be in flight', () => {
    const old = start()
    old.take(sent(7, { mayOvertake: undefined } as never), sent(8))
    assert.deepEqual(old.out, ['7', '8'])
    const recent = start()
    recent.take(sent(8), sent(7))
    assert.deepEqual(recent.out, [])
    recent.order.expire(waitMS)
    assert.deepEqual(recent.out, ['7', '8'])
    assert.deepEqual(recent.outcomes, ['first', 'first'])
  })

  test('fetch each gap, also behind the first message received', async () => {
    const out: number[] = []
    const fetched: Missing[] = []
    const order = new InOrder<IncomingEvent>({
      waitMS,
      deliver: ({ message }) => out.push(message?.seq ?? 0),
      async fetch(missing) {
        fetched.push(missing)
        return missing.fromSeq === 1 ? undefined : missing.fromSeq
      },
      fetchesFirst: true,
    })
    for (const seq of [7, 8, 10, 12]) order.take(sent(seq), 0)
    order.expire(waitMS)
    await setImmediate()
    order.expire(1.1 * waitMS)
    await setImmediate()
    order.expire(1.2 * waitMS)
    assert.deepEqual(out, [7, 8])
    order.take(sent(9), 1.2 * waitMS)
    order.expire(1.3 * waitMS)
    await setImmediate()
    order.expire(1.4 * waitMS)
    order.take(sent(11), 1.4 * waitMS)
    assert.deepEqual(out, [7, 8, 9, 10, 11, 12])
    assert.deepEqual(fetched, [
      { topic, thread: undefined, fromSeq: 1, toSeq: 6 },
      { topic, thread: undefined, fromSeq: 9, toSeq: 9 },
      { topic, thread: undefined, fromSeq: 11, toSeq: 11 },
    ])
  })

  test('begin with the first one fetched, if the previous one was never published', async () => {
    const out: number[] = []
    const fetched: Missing[] = []
    const order = new InOrder<IncomingEvent>({
      waitMS,
      deliver: ({ message }) => out.push(message?.seq ?? 0),
      async fetch(missing) {
        fetched.push(missing)
        if (missing.fromSeq > 1) return missing.fromSeq
        order.take(sent(7), waitMS)
        return 7
      },
      fetchesFirst: true,
    })
    order.take(sent(9), 0)
    order.expire(waitMS)
    await setImmediate()
    assert.deepEqual(out, [])
    order.expire(1.1 * waitMS)
    assert.deepEqual(out, [7])
    order.take(sent(8), 1.1 * waitMS)
    assert.deepEqual(out, [7, 8, 9])
    assert.deepEqual(fetched, [
      { topic, thread: undefined, fromSeq: 1, toSeq: 8 },
      { topic, thread: undefined, fromSeq: 8, toSeq: 8 },
    ])
  })

  test('begin with none while an earlier one waits', () => {
    const { order, take, out } = start()
    const notSoon = { mayOvertake: undefined } as never
    take(
      sent(2),
      sent(3, notSoon),
      edited(2, notSoon),
      { ...sent(4, notSoon), republished: { atMS: 1 } },
      edited(1, notSoon),
    )
    assert.deepEqual(out, ['messageUpdated 1'])
    take(sent(1))
    assert.deepEqual(out, ['messageUpdated 1', '1', '2', 'messageUpdated 2', '3', '4'])
    assert.equal(order.isWaiting, false)
  })

  test('begin with the position that another order knows', () => {
    const { order, take, out } = start()
    take(sent(8), sent(9))
    order.learn({ topic, thread: undefined, next: 7 }, false)
    assert.deepEqual(out, [])
    order.learn({ topic, thread: undefined, next: 8 }, false)
    assert.deepEqual(out, ['8', '9'])
    order.learn({ topic, thread: undefined, next: 20 }, true)
    take(sent(10))
    assert.deepEqual([out.at(-1), ...order.nextSeqs()], ['10', { topic, thread: undefined, next: 11 }])
  })

  test('are followed by their edits and deletions, and by _all up to one', () => {
    const { take, out } = start()
    take(sent(1), edited(2), eventOf('messageDeleted', { seq: 3 }), sent(3), sent(4), sent(2), edited(1))
    assert.deepEqual(out, ['1', '2', 'messageUpdated 2', '3', 'messageDeleted 3', '4', 'messageUpdated 1'])
  })

  test('an edit of an old message waits for nothing, and is no beginning', () => {
    const { take, out } = start()
    take(edited(5, { mayOvertake: undefined } as never), sent(1))
    assert.deepEqual(out, ['messageUpdated 5', '1'])
  })

  test('are independent of threads, and threads of each other', () => {
    const { take, out } = start()
    const inThread = (seq: number, thread: string) => eventOf('thread message', { seq, thread })
    take(sent(1), inThread(1, 'x'), inThread(3, 'x'), inThread(1, 'y'), sent(2), inThread(2, 'x'))
    assert.deepEqual(out, ['1', 'thread message 1', 'thread message 1', '2', 'thread message 2', 'thread message 3'])
  })

  test('are forgotten with the room, and threads when there are many, unless a message waits', () => {
    const { order, take, out } = start()
    take(sent(1), sent(3))
    order.forget(topic)
    assert.deepEqual([order.isWaiting, ...order.nextSeqs()], [false])
    take(sent(1))
    assert.deepEqual(out, ['1', '1'])
    take(...Array.from({ length: 1_000 }, (_, i) => eventOf('thread message', { seq: 1, thread: `${i}` })))
    assert.ok([...order.nextSeqs()].length <= 201)
  })

  test('wait within bounded memory', () => {
    const { take, out } = start()
    const large = { ...sent(3), data: new Uint8Array(20 * 1024 * 1024) }
    take(sent(1), large)
    assert.deepEqual(out, ['1', '3'])
  })

  const appends = fc.array(fc.record({ gateway: fc.nat(2), size: fc.integer({ min: 1, max: 3 }) }), { maxLength: 8 })

  test('are in order from the first on, whichever gateway is late, and from whichever event on a node hears them', () => {
    fc.assert(
      fc.property(appends, fc.array(fc.nat(2), { maxLength: 24 }), fc.nat(6), (all, turns, missed) => {
        const published: IncomingEvent[][] = [[], [], []]
        let seq = 0
        for (const { gateway, size } of all) {
          const messages = Array.from({ length: size }, () => ({ message: { createdAtMS: 1 } }))
          for (const { mayOvertake } of eventsOf({ room: { lastMessageAtMS: 0 }, messages } as unknown as RoomAppend))
            published[gateway]?.push(eventOf('chat message', { seq: ++seq, ...(mayOvertake && { mayOvertake }) }))
        }
        const arriving = [...turns.flatMap((turn) => published[turn]?.shift() ?? []), ...published.flat()].slice(missed)
        const { order, take, out } = start()
        take(...arriving)
        order.expire(waitMS)
        assert.deepEqual(
          out,
          arriving
            .map(({ message }) => message?.seq ?? 0)
            .toSorted((a, b) => a - b)
            .map(String),
        )
      }),
      { numRuns: 2_000 },
    )
  })

  const step = fc.record({
    seq: fc.integer({ min: 1, max: 12 }),
    isEdit: fc.boolean(),
    thread: fc.constantFrom(undefined, 'x'),
    afterMS: fc.constantFrom(0, 0, 5, 60, 210),
  })

  test('are all passed on once, and out of order only after a timeout', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let nowMS = 0
        const arrived = new Map<string, number>()
        const out: { id: string; queue: string; seq: number; isNew: boolean; waitedMS: number }[] = []
        const heard = new Set<string>()
        const order = new InOrder<ReturnType<typeof eventOf>>({
          waitMS,
          deliver({ id, event, message: { seq, thread = '' } }) {
            if (heard.has(id)) return
            heard.add(id)
            const waitedMS = nowMS - (arrived.get(id) ?? 0)
            out.push({ id, queue: thread, seq, isNew: event !== 'messageUpdated', waitedMS })
          },
        })
        for (const { seq, isEdit, thread, afterMS } of steps) {
          nowMS += afterMS
          order.expire(nowMS)
          const name = isEdit ? 'messageUpdated' : thread === undefined ? 'chat message' : 'thread message'
          const event = eventOf(name, { seq, mayOvertake: true, ...(thread !== undefined && { thread }) })
          if (!arrived.has(event.id)) arrived.set(event.id, nowMS)
          order.take(event, nowMS)
        }
        nowMS += 2 * waitMS
        order.expire(nowMS)
        assert.equal(order.isWaiting, false)
        assert.deepEqual(new Set(out.map(({ id }) => id)), new Set(arrived.keys()))
        out.forEach((late, i) => {
          if (!late.isNew) return
          const early = out.slice(0, i).filter(({ queue, seq, isNew }) => {
            return queue === late.queue && (isNew ? seq > late.seq : seq >= late.seq)
          })
          const ranOut = early.some(({ waitedMS }) => waitedMS >= waitMS)
          assert.ok(early.length === 0 || ranOut, `${late.id} came after ${early.map(({ id }) => id).join()}`)
        })
      }),
      { numRuns: 2_000 },
    )
  })
})
