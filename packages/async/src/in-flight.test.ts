import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { createInFlight } from './in-flight.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Whether the promise has settled once everything due has run. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.finally(() => {
    settled = true
  })
  await turn()
  return settled
}

describe('calls in flight', () => {
  test('counts work until it settles, whether it succeeds or fails, and returns it', async () => {
    const inFlight = createInFlight()
    const good = Promise.withResolvers<string>()
    const bad = Promise.withResolvers<string>()
    const first = inFlight.add(good.promise)
    const second = inFlight.add(bad.promise)
    assert.equal(inFlight.size, 2)
    good.resolve('done')
    assert.equal(await first, 'done')
    await turn()
    assert.equal(inFlight.size, 1)
    bad.reject(new Error('no'))
    await assert.rejects(second, /no/)
    await turn()
    assert.equal(inFlight.size, 0)
  })

  test('drained also waits for work added meanwhile', async () => {
    const inFlight = createInFlight()
    assert.equal(await hasSettled(inFlight.drained()), true)
    const early = Promise.withResolvers<void>()
    const late = Promise.withResolvers<void>()
    void inFlight.add(early.promise)
    const drained = inFlight.drained()
    void inFlight.add(late.promise)
    early.resolve()
    assert.equal(await hasSettled(drained), false)
    late.resolve()
    assert.equal(await hasSettled(drained), true)
  })

  test('below waits only for a free slot', async () => {
    const inFlight = createInFlight()
    const works = [1, 2, 3].map(() => Promise.withResolvers<void>())
    for (const { promise } of works) void inFlight.add(promise)
    assert.equal(await hasSettled(inFlight.below(4)), true)
    const free = inFlight.below(3)
    assert.equal(await hasSettled(free), false)
    works[1]?.resolve()
    assert.equal(await hasSettled(free), true)
    assert.equal(inFlight.size, 2)
  })
})
