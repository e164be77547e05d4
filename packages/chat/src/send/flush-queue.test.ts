import assert from 'node:assert/strict'
import type { RoomAppend } from '@parley/db/room-buffer/append'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { createFlushQueue, type FlushQueue, type Unflushed } from './flush-queue.ts'

function appendTo(room: string, messages: number, bytes = 100): Unflushed {
  const append = { room: { _id: room }, messages: Array.from({ length: messages }), bytes } as unknown as RoomAppend
  return { append, events: [], isPublished: false }
}

const roomsOf = (taken: Unflushed[][]) =>
  taken.map((own) => `${own[0]?.append.room._id} ${own.map(({ append }) => append.messages.length).join('+')}`)

describe('appended messages waiting for a flush', () => {
  let waiting: FlushQueue
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
    waiting = createFlushQueue()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('are due 200 ms after the first, all together', () => {
    waiting.add(appendTo('a', 1))
    vi.advanceTimersByTime(150)
    waiting.add(appendTo('b', 2))
    waiting.add(appendTo('a', 3))
    assert.equal(waiting.dueInMS(), 50)
    assert.deepEqual(waiting.takeDue(), [])
    vi.advanceTimersByTime(50)
    assert.equal(waiting.dueInMS(), 0)
    assert.deepEqual(roomsOf(waiting.takeDue()), ['a 1+3', 'b 2'])
    assert.ok(waiting.isEmpty)
  })

  test.for([
    ['256 messages', 255, 100],
    ['128 KiB', 1, 128 * 1024],
  ] as const)('of a room with %s are due at once, but not those of other rooms', ([, messages, bytes]) => {
    waiting.add(appendTo('quiet', 1))
    vi.advanceTimersByTime(100)
    waiting.add(appendTo('busy', 1))
    assert.equal(waiting.dueInMS(), 100)
    waiting.add(appendTo('busy', messages, bytes))
    assert.equal(waiting.dueInMS(), 0)
    assert.deepEqual(roomsOf(waiting.takeDue()), [`busy 1+${messages}`])
    assert.equal(waiting.dueInMS(), 100)
    vi.advanceTimersByTime(100)
    assert.deepEqual(roomsOf(waiting.takeDue()), ['quiet 1'])
  })

  test('are all due at once from 1,000 messages across rooms', () => {
    waiting.add(appendTo('busy', 256))
    assert.deepEqual(roomsOf(waiting.takeDue()), ['busy 256'])
    for (let i = 0; i < 9; i++) waiting.add(appendTo(`room ${i}`, 100))
    assert.equal(waiting.dueInMS(), 200)
    waiting.add(appendTo('room 9', 100))
    assert.equal(waiting.dueInMS(), 0)
    assert.equal(waiting.takeDue().length, 10)
    assert.ok(waiting.isEmpty)
  })
})
