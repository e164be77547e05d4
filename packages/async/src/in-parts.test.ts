import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { inParts, readInParts } from './in-parts.ts'

describe('a list in parts', () => {
  const cases: [name: string, count: number, max: number, lengths: number[]][] = [
    ['an empty list has no part', 0, 3, []],
    ['fewer than the limit are one part', 2, 3, [2]],
    ['exactly the limit is one part', 3, 3, [3]],
    ['one more begins another part', 4, 3, [3, 1]],
    ['each can be a part of its own', 3, 1, [1, 1, 1]],
  ]
  for (const [name, count, max, lengths] of cases) {
    test(name, async () => {
      const items = Array.from({ length: count }, (_, n) => n)
      const parts = inParts(items, max)
      assert.deepEqual(
        parts.map(({ length }) => length),
        lengths,
      )
      assert.deepEqual(parts.flat(), items)
      const read: number[][] = []
      for await (const part of readInParts(oneByOne(items), max)) read.push(part)
      assert.deepEqual(read, parts)
    })
  }

  test('a part of a stream is returned before the next item is requested', async () => {
    let asked = 0
    const parts = readInParts(
      oneByOne([1, 2, 3], () => asked++),
      2,
    )
    assert.deepEqual((await parts.next()).value, [1, 2])
    assert.equal(asked, 2)
    await parts.return(undefined)
  })
})

async function* oneByOne<T>(items: readonly T[], onAsked = () => {}): AsyncGenerator<T> {
  for (const item of items) {
    onAsked()
    yield await Promise.resolve(item)
  }
}
