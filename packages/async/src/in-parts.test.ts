import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { inParts } from './in-parts.ts'

describe('a list in parts', () => {
  const cases: [name: string, count: number, most: number, lengths: number[]][] = [
    ['an empty list has no part', 0, 3, []],
    ['fewer than fit are one part', 2, 3, [2]],
    ['as many as fit are one part', 3, 3, [3]],
    ['one more begins another part', 4, 3, [3, 1]],
    ['each may be a part of its own', 3, 1, [1, 1, 1]],
  ]
  for (const [name, count, most, lengths] of cases) {
    test(name, () => {
      const items = Array.from({ length: count }, (_, n) => n)
      const parts = inParts(items, most)
      assert.deepEqual(
        parts.map(({ length }) => length),
        lengths,
      )
      assert.deepEqual(parts.flat(), items)
    })
  }
})
