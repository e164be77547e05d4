import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { createStreamClock } from './server-time.ts'

describe('the clock of the stream', () => {
  const cases: [name: string, streamMS: number, aheadMS: number][] = [
    ['agrees with ours when NATS replies at once', 1_000, 0],
    ['agrees with ours when the reply takes a second', 500, 0],
    ['is ahead by the part that the reply time cannot explain', 1_700, 700],
    ['is behind by the part that the reply time cannot explain', -300, -300],
  ]
  for (const [name, streamMS, aheadMS] of cases) {
    test(`${name}: asked at 0, replied at 1000, NATS says ${streamMS}`, () => {
      const clock = createStreamClock(() => 1_000)
      clock.set(streamMS, 0)
      assert.equal(clock.nowMS(), 1_000 + aheadMS)
    })
  }

  test('is our own until NATS was asked', () => {
    assert.equal(createStreamClock(() => 7).nowMS(), 7)
  })
})
