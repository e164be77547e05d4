import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { z } from 'zod'
import { timeParameter } from './time-parameter.ts'

/** As in OpenAPI, so that readers of the document know which values are accepted. */
const { pattern } = z.toJSONSchema(timeParameter) as { pattern: string }
const isTime = (text: string) => new RegExp(pattern).test(text)

describe('a time in a query, by the pattern in the document', () => {
  for (const time of [
    '0',
    '-1',
    '1700000000000',
    '2024-02-29',
    '2024-02-29T23:59Z',
    '2024-02-29T23:59:59.123456789+05:30',
    '2024-02-29T00:00:00-0100',
    '2024-02-29T00:00+08',
    '2024-02-29T00:00:00',
  ]) {
    test(`can be ${time}`, () => assert.ok(isTime(time)))
  }
  for (const time of [
    '',
    'now',
    '1.5',
    '1e3',
    '2024-13-01',
    '2024-01-32',
    '2024-01-01T24:00Z',
    '2024-01-01T1:00Z',
    ' 0',
    '9'.repeat(16),
  ]) {
    test(`cannot be ${JSON.stringify(time)}`, () => assert.ok(!isTime(time)))
  }
})
