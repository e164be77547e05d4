import assert from 'node:assert/strict'
import type { Db } from '@parley/db/connect'
import type { RoomAppend } from '@parley/db/room-buffer/append'
import { afterEach, beforeEach, test, vi } from 'vitest'
import type { Outbox } from '../events/outbox.ts'
import { createFlusher } from './flush.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a failed flush is retried after a second, however much is sent meanwhile', async () => {
  const triedAtMS: number[] = []
  const outbox = { publishBeforeMessages: () => Promise.resolve(false) } as unknown as Outbox
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const flusher = createFlusher({ db: {} as Db, outbox, log }, (point) => {
    if (point !== 'taken') return
    triedAtMS.push(performance.now())
    throw new Error('refused')
  })
  const startMS = performance.now()
  const messages = Array.from({ length: 300 }, (_, i) => ({ message: { _id: String(i), seq: i + 1 } }))
  const append = { room: { _id: 'room', seq: 0 }, messages, bytes: 1 } as unknown as RoomAppend
  for (let i = 0; i < 250; i++) {
    flusher.take(append, new Map())
    await vi.advanceTimersByTimeAsync(10)
  }
  assert.deepEqual(
    triedAtMS.map((atMS) => Math.round((atMS - startMS) / 1_000)),
    [0, 1, 2],
  )
})
