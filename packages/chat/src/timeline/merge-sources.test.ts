import assert from 'node:assert/strict'
import { ApiError } from '@parley/contracts/errors'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { mergeSources, type Positioned, type Source } from './merge-sources.ts'

/** A source that reads like the database: in order, from the position on, up to the limit. */
function sourceOf(list: readonly Positioned<string>[]): Source<string> {
  const order = (a: Positioned<string>, b: Positioned<string>) => b.atMS - a.atMS || (a.id < b.id ? 1 : -1)
  return {
    read: ({ sinceMS, untilMS, before, limit }) =>
      Promise.resolve(
        list
          .toSorted(order)
          .filter(({ atMS }) => atMS >= sinceMS && atMS <= untilMS)
          .filter((one) => !before || one.atMS < before.atMS || (one.atMS === before.atMS && one.id < before.id))
          .slice(0, limit),
      ),
  }
}

describe('pages of several sources', () => {
  test('have every record once, latest first, for any limit and any equal times', async () => {
    const source = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 })
    const sources = fc.array(source, { minLength: 1, maxLength: 5 })
    const bounds = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }))
    await fc.assert(
      fc.asyncProperty(sources, bounds, fc.integer({ min: 1, max: 7 }), async (times, [one, other], limit) => {
        const [sinceMS, untilMS] = [Math.min(one, other), Math.max(one, other)]
        const lists = times.map((list, rank) => list.map((atMS, i) => ({ atMS, id: `${i}`, record: `${rank} ${i}` })))
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const page = await mergeSources(lists.map(sourceOf), { sinceMS, untilMS, cursor, limit })
          assert.ok(page.records.length <= limit)
          seen.push(...page.records)
          cursor = page.cursor
        } while (cursor !== undefined)
        const within = lists.flat().filter(({ atMS }) => atMS >= sinceMS && atMS <= untilMS)
        assert.deepEqual(seen.toSorted(), within.map(({ record }) => record).toSorted())
        const timeOf = new Map(within.map(({ record, atMS }) => [record, atMS]))
        const shown = seen.map((record) => timeOf.get(record) ?? 0)
        assert.deepEqual(
          shown,
          shown.toSorted((a, b) => b - a),
        )
      }),
      { numRuns: 200 },
    )
  })

  test('refuse an invalid cursor', async () => {
    const refused = (error: unknown) => error instanceof ApiError && error.code === 'INVALID_QUERY'
    for (const parts of ['', 'x', '"1","0"', '"1","5","id"', '"-1","0","id"']) {
      const page = {
        sinceMS: 0,
        untilMS: 9,
        limit: 1,
        cursor: Buffer.from(`["timeline",${parts}]`).toString('base64url'),
      }
      await assert.rejects(mergeSources([sourceOf([])], page), refused, parts)
    }
  })
})
