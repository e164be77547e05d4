import assert from 'node:assert/strict'
import { test } from 'vitest'
import { plainAddress } from './plain-address.ts'

test('an address is recorded without its port, and other text as unknown', () => {
  assert.equal(plainAddress('[2001:db8:1:2::1]:4711'), '2001:db8:1:2::1')
  assert.equal(plainAddress('192.0.2.1:4711'), '192.0.2.1')
  assert.equal(plainAddress('fe80::1%eth0'), 'fe80::1%eth0')
  for (const text of ['', 'somebody', '1'.repeat(100_000)]) assert.equal(plainAddress(text), 'unknown')
})
