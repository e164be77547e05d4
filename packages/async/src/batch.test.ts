import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { type Batching, batched } from './batch.ts'

/** A write that the test settles, with the items of each batch. */
function heldWrites() {
  const batches: { items: number[]; done: (outcomes?: string[]) => void; fail: (error: Error) => void }[] = []
  const write = (items: number[]) =>
    new Promise<string[]>((resolve, reject) => {
      batches.push({ items, done: (outcomes = items.map(String)) => resolve(outcomes), fail: reject })
    })
  return { batches, write, given: () => batches.map(({ items }) => items) }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})
/** Runs everything due by then. */
const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

describe('batched', () => {
  test('writes the items of one turn together, in order, and gives each its own result', async () => {
    const { write, batches, given } = heldWrites()
    const one = batched(write, { max: 10 })
    const outcomes = Promise.all([one(1), one(2), one(3)])
    assert.deepEqual(given(), [], 'the turn is not over')
    await pass()
    assert.deepEqual(given(), [[1, 2, 3]])
    batches[0]?.done(['a', 'b', 'c'])
    assert.deepEqual(await outcomes, ['a', 'b', 'c'])
  })

  test('writes a lone item at once', async () => {
    const { write, batches } = heldWrites()
    const outcome = batched(write, { max: 10 })(1)
    await pass()
    batches[0]?.done()
    assert.equal(await outcome, '1')
  })

  test('waits for more items if its options say so', async () => {
    const { write, given } = heldWrites()
    const one = batched(write, { max: 10, waitMS: 100 })
    void one(1)
    await pass(60)
    void one(2)
    assert.deepEqual(given(), [])
    await pass(40)
    assert.deepEqual(given(), [[1, 2]])
  })

  test('collects the next batch while one is in flight, and keeps each within the limit', async () => {
    const { write, batches, given } = heldWrites()
    const one = batched(write, { max: 2 })
    const outcomes = [1, 2, 3].map(one)
    await pass()
    outcomes.push(one(4), one(5))
    await pass()
    assert.deepEqual(given(), [[1, 2]])
    for (let i = 0; i < 3; i++) {
      batches[i]?.done()
      await pass()
    }
    assert.deepEqual(given(), [[1, 2], [3, 4], [5]])
    assert.deepEqual(await Promise.all(outcomes), ['1', '2', '3', '4', '5'])
  })

  test('starts another batch only once the last has been in flight for `maxWaitMS`', async () => {
    const { write, batches, given } = heldWrites()
    const one = batched(write, { max: 10, concurrency: 2, maxWaitMS: 20 })
    void one(1)
    await pass()
    void one(2)
    await pass(10)
    void one(3)
    assert.deepEqual(given(), [[1]])
    await pass(10)
    assert.deepEqual(given(), [[1], [2, 3]])
    void one(4)
    await pass(1_000)
    assert.deepEqual(given(), [[1], [2, 3]], 'no more than two at once')
    batches[0]?.done()
    await pass()
    assert.deepEqual(given(), [[1], [2, 3], [4]])
  })

  test('waits `maxWaitMS` even if a batch ends or more items wait than fit', async () => {
    const { write, batches, given } = heldWrites()
    const one = batched(write, { max: 2, concurrency: 4, maxWaitMS: 20 })
    for (const item of [1, 2, 3]) void one(item)
    await pass()
    assert.deepEqual(given(), [[1, 2]])
    await pass(20)
    assert.deepEqual(given(), [[1, 2], [3]])
    void one(4)
    await pass(5)
    batches[0]?.done()
    await pass()
    assert.deepEqual(given(), [[1, 2], [3]])
    await pass(15)
    assert.deepEqual(given(), [[1, 2], [3], [4]])
  })

  test('does not wait while nothing is in flight', async () => {
    const { write, batches, given } = heldWrites()
    const one = batched(write, { max: 10, concurrency: 2, maxWaitMS: 1_000 })
    void one(1)
    await pass()
    batches[0]?.done()
    await pass()
    void one(2)
    await pass()
    assert.deepEqual(given(), [[1], [2]])
  })

  test('waits a share of the last batch duration for as many items again', async () => {
    const { write, batches, given } = heldWrites()
    const one = batched(write, { max: 10, restShare: 0.5 })
    for (const item of [1, 2, 3]) void one(item)
    await pass()
    await pass(8)
    batches[0]?.done()
    await pass()
    void one(4)
    await pass(3)
    void one(5)
    assert.deepEqual(given(), [[1, 2, 3]], 'one more may come')
    await pass(1)
    assert.deepEqual(
      given(),
      [
        [1, 2, 3],
        [4, 5],
      ],
      'but for at most half that time',
    )
    await pass(8)
    batches[1]?.done()
    await pass(1)
    void one(6)
    void one(7)
    await pass()
    assert.deepEqual(given().at(-1), [6, 7], 'no wait once all have arrived')
  })

  test('never makes callers in sequence wait, however quick the batches are', async () => {
    const { write, batches, given } = heldWrites()
    const one = batched(write, { max: 10, restShare: 0.5 })
    for (const item of [1, 2, 3]) {
      void one(item)
      await pass()
      assert.deepEqual(given().at(-1), [item])
      await pass(0.6)
      batches.at(-1)?.done()
      await pass()
    }
  })

  test('waits for callers of late results that settle together', async () => {
    const late = Promise.withResolvers<string>()
    const batches: number[][] = []
    const write = (items: number[]) => {
      batches.push(items)
      return Promise.resolve(items.map((item) => (batches.length === 1 ? late.promise : String(item))))
    }
    const one = batched(write, { max: 10, restShare: 0.5, keyOf: (item) => `key ${item % 2}` })
    const first = Promise.all([1, 2, 3, 4].map(one))
    await pass(8)
    late.resolve('late')
    await first
    const second = Promise.all([5, 6].map(one))
    await pass(1)
    assert.equal(batches.length, 1, 'only two of four have arrived')
    const third = Promise.all([7, 8].map(one))
    await pass(0)
    assert.deepEqual(batches.slice(1), [[5, 6, 7, 8]])
    await Promise.all([second, third])
  })

  test('caps the wait after a slow batch', async () => {
    const { write, batches, given } = heldWrites()
    const one = batched(write, { max: 10, restShare: 0.5 })
    for (const item of [1, 2, 3]) void one(item)
    await pass(5_000)
    batches[0]?.done()
    await pass()
    void one(4)
    await pass(9)
    assert.deepEqual(given(), [[1, 2, 3]])
    await pass(1)
    assert.deepEqual(given(), [[1, 2, 3], [4]])
  })

  test('fails all items of a failed batch, and writes later ones', async () => {
    const { write, batches } = heldWrites()
    const one = batched(write, { max: 2 })
    const outcomes = Promise.allSettled([1, 2, 3].map(one))
    await pass()
    const error = new Error('away')
    batches[0]?.fail(error)
    await pass()
    batches[1]?.done()
    assert.deepEqual(await outcomes, [
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
      { status: 'fulfilled', value: '3' },
    ])
  })

  test('treats a write that throws synchronously as a failed one', async () => {
    const one = batched<number, number>(
      () => {
        throw new Error('at once')
      },
      { max: 2 },
    )
    const outcomes = Promise.allSettled([one(1), one(2), one(3)])
    await pass()
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    )
  })

  test('allows a write, or the caller of a result, to add more items', async () => {
    const written: number[] = []
    const one: (item: number) => Promise<number> = batched(
      async (items: number[]) => {
        written.push(...items)
        return Promise.all(items.map(async (item) => (item > 0 ? one(item - 1) : item)))
      },
      { max: 10, concurrency: 4 },
    )
    const again = one(3).then(() => one(0))
    await pass(100)
    assert.equal(await again, 0)
    assert.deepEqual(written, [3, 2, 1, 0, 0])
  })

  test('keeps every guarantee for any order of items and batches', async () => {
    const items = fc.array(
      fc.record({ key: fc.integer({ min: 0, max: 3 }), afterMS: fc.integer({ min: 0, max: 30 }) }),
      {
        minLength: 1,
        maxLength: 40,
      },
    )
    const options = fc.record({
      max: fc.integer({ min: 1, max: 5 }),
      concurrency: fc.integer({ min: 1, max: 3 }),
      maxWaitMS: fc.integer({ min: 0, max: 20 }),
      waitMS: fc.integer({ min: 0, max: 20 }),
      restShare: fc.constantFrom(0, 0.5, 2),
    })
    const lasting = fc.array(fc.record({ ms: fc.integer({ min: 0, max: 50 }), fails: fc.boolean() }), { minLength: 1 })
    await fc.assert(fc.asyncProperty(items, options, lasting, holds), { numRuns: 300 })
  })
})

interface Item {
  key: number
  index: number
}

/** Checks one run: items that arrive in sequence, and batches with the given durations and failures. */
async function holds(
  coming: readonly { key: number; afterMS: number }[],
  options: Omit<Batching<Item>, 'keyOf'> & { concurrency: number },
  lasting: readonly { ms: number; fails: boolean }[],
): Promise<void> {
  let begun = 0
  const inFlight = new Set<Item[]>()
  const written: Item[] = []
  const one = batched(
    async (batch: Item[]) => {
      assert.ok(batch.length > 0 && batch.length <= options.max, 'no batch exceeds the limit')
      const busy = new Set([...inFlight].flatMap((other) => other.map(({ key }) => key)))
      assert.ok(!batch.some(({ key }) => busy.has(key)), 'no key is in two batches at once')
      inFlight.add(batch)
      assert.ok(inFlight.size <= options.concurrency, 'the concurrency limit holds')
      written.push(...batch)
      const { ms, fails } = lasting[begun++ % lasting.length] as { ms: number; fails: boolean }
      await new Promise((resolve) => setTimeout(resolve, ms))
      inFlight.delete(batch)
      if (fails) throw new Error('this batch fails')
      return batch.map(({ index }) => index)
    },
    { ...options, keyOf: ({ key }) => String(key) },
  )
  const outcomes: Promise<number | Error>[] = []
  for (const [index, { key, afterMS }] of coming.entries()) {
    if (afterMS > 20) await pass(afterMS - 20)
    outcomes.push(one({ key, index }).catch((error: Error) => error))
  }
  await pass(60_000)
  for (const [index, outcome] of (await Promise.all(outcomes)).entries()) {
    if (outcome instanceof Error) assert.equal(outcome.message, 'this batch fails')
    else assert.equal(outcome, index, 'each gets its own outcome')
  }
  for (const of of Map.groupBy(written, ({ key }) => key).values()) {
    const order = of.map(({ index }) => index)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
      'items of a key are written in order of arrival',
    )
  }
  assert.equal(new Set(written).size, coming.length, 'each is written')
  assert.equal(written.length, coming.length, 'and once')
}
