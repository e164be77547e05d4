import assert from 'node:assert/strict'
import { describe, test, vi } from 'vitest'
import { idPrefix, idsFrom, madeAtMS, newMessageId } from './message-ids.ts'

describe('IDs of messages', () => {
  test('grow, also when more are made than a second has, and begin with their second and room', () => {
    vi.useFakeTimers({ now: 1_700_000_000_500 })
    try {
      const ids = Array.from({ length: 70_000 }, () => newMessageId('room'))
      assert.deepEqual(ids.toSorted(), ids)
      assert.equal(new Set(ids).size, ids.length)
      assert.ok(ids.every((id) => /^[0-9a-f]{24}$/.test(id)))
      assert.equal(new Set(ids.map(idPrefix)).size, 2, 'those of a room and second share it')
      assert.notEqual(idPrefix(newMessageId('other')), idPrefix(newMessageId('room')))
      assert.equal(madeAtMS({ _id: ids[0] ?? '' }), 1_700_000_000_000)
      assert.ok((ids[0] ?? '') > idsFrom(1_700_000_000_999))
    } finally {
      vi.useRealTimers()
    }
  })

  test('follow a clock that is put back, and none is made twice', () => {
    const startMS = 1_700_000_100_000
    vi.useFakeTimers({ now: startMS })
    try {
      const madeAt = (ms: number) => {
        vi.setSystemTime(ms)
        return newMessageId('room')
      }
      const before = [madeAt(startMS - 60_000), madeAt(startMS)]
      const after = madeAt(startMS - 60_000)
      assert.equal(madeAtMS({ _id: after }), startMS - 60_000)
      assert.ok(!before.includes(after))
      assert.ok(madeAt(startMS - 61_000) > after, 'a little back is waited for')
    } finally {
      vi.useRealTimers()
    }
  })
})
