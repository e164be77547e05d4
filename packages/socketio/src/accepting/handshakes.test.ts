import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { createHandshakes } from './handshakes.ts'

describe('handshake slots', () => {
  let nowMS = 0
  const create = () => createHandshakes({ max: 2, withinMS: 100 }, () => nowMS)

  test('are limited, and freed when a handshake ends', () => {
    const handshakes = create()
    assert.deepEqual([handshakes.begin(), handshakes.begin(), handshakes.begin()], [true, true, false])
    handshakes.ended()
    assert.deepEqual([handshakes.begin(), handshakes.begin()], [true, false])
  })

  test('are freed from a slow handshake after the time limit', () => {
    const handshakes = create()
    nowMS = 0
    handshakes.begin()
    nowMS = 60
    handshakes.begin()
    nowMS = 99
    assert.equal(handshakes.begin(), false)
    nowMS = 100
    assert.deepEqual([handshakes.begin(), handshakes.begin()], [true, false])
  })

  test('do not exceed the limit if more handshakes end than began', () => {
    const handshakes = create()
    handshakes.ended()
    assert.deepEqual([handshakes.begin(), handshakes.begin(), handshakes.begin()], [true, true, false])
  })
})
