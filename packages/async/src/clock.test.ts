import assert from 'node:assert/strict'
import { afterEach, test } from 'vitest'
import { clock } from './clock.ts'

afterEach(() => clock.correct({ askedMS: 0, roundTripMS: 0, readMS: 0 }))

test('the clock follows the reference clock to within half the round trip', () => {
  clock.correct({ askedMS: 1_000_000, roundTripMS: 100, readMS: 400_000 })
  assert.ok(Math.abs(clock.aheadMS() - 600_050) <= 1, String(clock.aheadMS()))
  assert.ok(Math.abs(clock.now() - Date.now() + 600_050) <= 50)
  clock.correct({ askedMS: 0, roundTripMS: 10, readMS: 5_000 })
  assert.ok(Math.abs(clock.aheadMS() + 4_995) <= 1)
})

test('a reading consistent with the known offset, given its round trip, changes nothing', () => {
  clock.correct({ askedMS: 50_000, roundTripMS: 3_000, readMS: 52_900 })
  assert.equal(clock.aheadMS() + 0, 0)
  clock.correct({ askedMS: 50_000, roundTripMS: 3_000, readMS: 50_000 })
  assert.equal(clock.aheadMS() + 0, 0)
})
