import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { createAcceptQueue } from './accept-queue.ts'

describe('work in the accept queue', () => {
  /** Keeps the event loop busy for longer than a slice of 1 ms. */
  function work(): void {
    const untilMS = performance.now() + 2
    while (performance.now() < untilMS);
  }

  test('other work runs between two items that each fill a slice', async () => {
    const queue = createAcceptQueue(1)
    const done: string[] = []
    const others = () => {
      done.push('other')
      if (done.filter((what) => what !== 'other').length < 4) setImmediate(others)
    }
    setImmediate(others)
    await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => {
        await queue.turn()
        work()
        done.push(name)
      }),
    )
    const between = done.filter((what, i) => what !== 'other' || done[i - 1] !== 'other')
    assert.deepEqual(between.slice(between.indexOf('a')), ['a', 'other', 'b', 'other', 'c', 'other', 'd'])
  })

  test('work that fits into a slice runs in one, in order, including later arrivals', async () => {
    const queue = createAcceptQueue(10_000)
    const done: string[] = []
    const turn = async (name: string) => {
      await queue.turn()
      done.push(name)
    }
    const all = Promise.all([turn('a'), turn('b'), turn('c').then(() => turn('d'))])
    await all
    assert.deepEqual(done, ['a', 'b', 'c', 'd'])
    await turn('later')
    assert.equal(done.at(-1), 'later')
  })
})
