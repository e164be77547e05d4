import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'vitest'
import { markerOrderingKey, messageOrderingKey, roomOrderingKey, userOrderingKey } from './ordering-keys.ts'

// IDs hold no control characters: contracts/src/ids.ts.
const id = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b', ' ', ':', 'room') })
const what = fc.oneof(
  fc.tuple(fc.constant('room'), id, id),
  fc.tuple(fc.constant('user'), id, id),
  fc.tuple(fc.constant('marker'), id, id, id),
  fc.tuple(fc.constant('message'), id),
)

function orderingKeyOf([kind, one = '', two = '', three = '']: readonly string[]): string {
  switch (kind) {
    case 'room':
      return roomOrderingKey(one, two)
    case 'user':
      return userOrderingKey({ app: one, user: two })
    case 'marker':
      return markerOrderingKey(one, two, three)
    default:
      return messageOrderingKey(one)
  }
}

test('two changes share an ordering key only if they concern the same object', () => {
  fc.assert(
    fc.property(what, what, (one, other) => {
      assert.equal(orderingKeyOf(one) === orderingKeyOf(other), JSON.stringify(one) === JSON.stringify(other))
    }),
    { numRuns: 2_000 },
  )
})
