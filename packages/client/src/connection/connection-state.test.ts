import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type ConnectionState, isConnected, ParleyError } from '../index.ts'

const error = new ParleyError('NETWORK_ERROR', 'away')
const cases: [ConnectionState, boolean][] = [
  [{ status: 'connecting' }, false],
  [{ status: 'syncing' }, true],
  [{ status: 'online' }, true],
  [{ status: 'waiting', error, retryAtMS: 0 }, false],
  [{ status: 'stopped', error }, false],
  [{ status: 'closed' }, false],
]
for (const [state, connected] of cases) {
  test(`a client that is ${state.status} is ${connected ? '' : 'not '}connected`, () => {
    assert.equal(isConnected(state), connected)
  })
}
