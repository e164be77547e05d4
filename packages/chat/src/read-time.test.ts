import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { isoDate, parseTime } from './read-time.ts'

describe('a time without an offset, on a machine in another time zone', () => {
  const before = process.env['TZ']
  beforeAll(() => {
    process.env['TZ'] = 'Asia/Shanghai'
    assert.equal(new Date(0).getHours(), 8)
  })
  afterAll(() => {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  })

  for (const [text, utc] of [
    ['2026-11-20T11:00:00', '2026-11-20T11:00:00.000Z'],
    ['2026-11-20T11:00:00.123456', '2026-11-20T11:00:00.123Z'],
    ['2026-11-20T11:00', '2026-11-20T11:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T11:00:00Z', '2026-11-20T11:00:00.000Z'],
    ['2026-11-20T11:00:00+08:00', '2026-11-20T03:00:00.000Z'],
    ['2026-11-20T11:00:00-0130', '2026-11-20T12:30:00.000Z'],
    ['2026-11-20T11:00+08', '2026-11-20T03:00:00.000Z'],
  ] as const) {
    test(`${text} is ${utc}`, () => {
      assert.equal(isoDate(text).toISOString(), utc)
      assert.equal(parseTime('time', text), Date.parse(utc))
    })
  }
})

test('a date that does not exist is refused', () => {
  for (const text of ['2026-02-30', '2026-02-29T00:00Z', '2026-11-31', '2026-11-20T24:00', 'Nov 20 2026', '']) {
    assert.ok(Number.isNaN(isoDate(text).getTime()), text)
    assert.throws(() => parseTime('time', text), /time: expected/)
  }
})
