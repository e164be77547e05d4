import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { z } from 'zod'
import { bareError, envelope, errorEnvelope, okEnvelope, toBareError, toErrorEnvelope } from './envelope.ts'
import { ApiError, type ErrorCode, errorCatalogue } from './errors.ts'

const codes = Object.keys(errorCatalogue) as ErrorCode[]

describe('the envelope', () => {
  test('of a result is {RC: 0, RM, result}, in its schema too', () => {
    const said = okEnvelope({ a: 1 })
    assert.deepEqual(said, { RC: 0, RM: 'OK', result: { a: 1 } })
    const schema = envelope(z.object({ a: z.number() }))
    assert.deepEqual(schema.parse(said), said)
    assert.equal(schema.safeParse({ ...said, RC: 1 }).success, false)
  })

  for (const code of codes) {
    test(`of ${code} has the HTTP status as RC, and the code`, () => {
      const error = new ApiError(code, 'why')
      const { status } = errorCatalogue[code]
      const said = toErrorEnvelope(error)
      assert.deepEqual(said, { RC: status, RM: 'why', error: { code, message: 'why' } })
      assert.deepEqual(errorEnvelope([code]).parse(said), said)
      assert.equal(errorEnvelope([code]).safeParse({ ...said, RC: status + 1 }).success, false)
      assert.deepEqual(toBareError(error), { error: code, message: 'why' })
      assert.deepEqual(bareError([code]).parse(toBareError(error)), toBareError(error))
    })
  }

  test('names no code that the operation lacks', () => {
    const said = toErrorEnvelope(new ApiError('ROOM_FROZEN'))
    assert.equal(errorEnvelope(['NOT_ROOM_MEMBER', 'USER_BLOCKED']).safeParse(said).success, false)
    assert.equal(errorEnvelope(['NOT_ROOM_MEMBER', 'ROOM_FROZEN']).safeParse(said).success, true)
  })
})
