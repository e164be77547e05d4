import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { createHandshakes } from './handshakes.ts'

describe('places for handshakes', () => {
  let nowMS = 0
  const create = () => createHandshakes({ most: 2, withinMS: 100 }, () => nowMS)

  test('the given number may be in flight, and one more when one is over', () => {
    const handshakes = create()
    assert.deepEqual([handshakes.begin(), handshakes.begin(), handshakes.begin()], [true, true, false])
    handshakes.ended()
    assert.deepEqual([handshakes.begin(), handshakes.begin()], [true, false])
  })

  test('a slow one keeps its place no longer than the time', () => {
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

  test('one that ends after its time frees no second place', () => {
    const handshakes = create()
    handshakes.ended()
    assert.deepEqual([handshakes.begin(), handshakes.begin(), handshakes.begin()], [true, true, false])
  })
})
