import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { moderationField, moderationFigures } from './moderation-figures.ts'

const counted = (answers: [action: string, ms: number][]) => {
  const fields: Record<string, string> = {}
  for (const [action, ms] of answers) {
    const name = moderationField(action, ms / 1_000)
    fields[name] = String(Number(fields[name] ?? 0) + 1)
  }
  return fields
}

describe('figures of MODERATE', () => {
  test('count each action, with upper bounds of the 50th and 99th percentile', () => {
    const fast = Array.from({ length: 98 }, (_, i): [string, number] => ['allow', 1 + (i % 40)])
    const minutes = [counted([...fast, ['mask', 180]]), counted([['refuse', 60_000]]), { messages: '7' }]
    assert.deepEqual(moderationFigures(minutes), {
      ...{ allow: 98, mask: 1, refuse: 1, unanswered: 0 },
      ...{ p50MS: 20, p99MS: 200 },
    })
  })

  test('exclude missing answers from the percentiles', () => {
    assert.deepEqual(moderationFigures([counted([['unanswered', 300]])]), {
      ...{ allow: 0, mask: 0, refuse: 0, unanswered: 1 },
    })
    assert.equal(
      moderationFigures([
        counted([
          ['unanswered', 300],
          ['allow', 5],
        ]),
      ]).p99MS,
      5,
    )
  })
})
