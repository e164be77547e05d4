import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'vitest'
import { requestHeaders } from './request-headers.ts'

test('a header holds any JSON, in characters allowed in headers', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = requestHeaders('Name', value).get('Name')
      assert.match(text, /^[\x20-\x7e]*$/)
      assert.equal(JSON.stringify(JSON.parse(text)), JSON.stringify(value))
    }),
  )
  const text = requestHeaders('Name', ['ä😀\u0000\r\n\u2028']).get('Name')
  assert.deepEqual(JSON.parse(text), ['ä😀\u0000\r\n\u2028'])
})
