import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { isQuiet, localTimes } from './quiet-hours.ts'

const quiet = (timeZone: string, days: number[], from: string, to: string, at: string) =>
  isQuiet({ timeZone, times: [{ days, from, to }] }, localTimes(Date.parse(at)))

describe('do not disturb', () => {
  test('includes its start and excludes its end, in the time zone of the user', () => {
    const noon = (at: string) => quiet('Asia/Kolkata', [1], '12:00', '13:00', at)
    assert.deepEqual(['2026-11-23T06:29Z', '2026-11-23T06:30Z', '2026-11-23T07:29Z', '2026-11-23T07:30Z'].map(noon), [
      false,
      true,
      true,
      false,
    ])
    assert.equal(noon('2026-11-24T06:30Z'), false, 'on another day')
  })

  test('continues after midnight for the day on which it began, also from Sunday to Monday', () => {
    const night = (at: string) => quiet('UTC', [7], '22:00', '07:00', at)
    assert.deepEqual(
      ['2026-11-22T21:59Z', '2026-11-22T22:00Z', '2026-11-23T06:59Z', '2026-11-23T07:00Z', '2026-11-22T06:00Z'].map(
        night,
      ),
      [false, true, true, false, false],
    )
  })

  test('lasts a day if both times are the same', () => {
    const day = (at: string) => quiet('UTC', [6], '08:00', '08:00', at)
    assert.deepEqual(['2026-11-28T07:59Z', '2026-11-28T08:00Z', '2026-11-29T07:59Z', '2026-11-29T08:00Z'].map(day), [
      ...[false, true, true, false],
    ])
  })

  test('follows the clocks when daylight saving time begins and ends', () => {
    const everyNight = (at: string) => quiet('Europe/Berlin', [1, 2, 3, 4, 5, 6, 7], '22:00', '07:00', at)
    // Summer time ends at 2026-10-25T01:00Z: the same UTC time is 07:30 the day before, and 06:30 on that day.
    assert.deepEqual(['2026-10-24T05:30Z', '2026-10-25T05:30Z'].map(everyNight), [false, true])
    // Summer time begins at 2026-03-29T01:00Z: 06:30 the day before, and 07:30 on that day.
    assert.deepEqual(['2026-03-28T05:30Z', '2026-03-29T05:30Z'].map(everyNight), [true, false])
    // The hour that occurs twice.
    const twice = (at: string) => quiet('Europe/Berlin', [7], '02:00', '03:00', at)
    assert.deepEqual(['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:30Z'].map(twice), [true, true, false])
  })
})
