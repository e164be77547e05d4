import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { addressBlock } from './address-block.ts'

describe('addressBlock', () => {
  const blocks: Record<string, string[]> = {
    '192.0.2.1': [
      '192.0.2.1',
      '192.0.2.1:4711',
      '[::ffff:192.0.2.1]:80',
      '::ffff:192.0.2.1',
      '0000:0000:0000:0000:0000:ffff:c000:0201',
    ],
    '2001:db8:1:2::/64': [
      '[2001:db8:1:2::1]',
      '[2001:db8:1:2::1]:4711',
      '2001:db8:1:2::1',
      '2001:0db8:0001:0002:ffff:ffff:ffff:ffff',
      '2001:DB8:1:2:3:4:5:6',
    ],
    '2001:db8:1:3::/64': ['2001:db8:1:3::1'],
    'fe80::/64': ['fe80::1%eth0', 'fe80::1%br-0', 'fe80::1%eth0.100', 'fe80::1%a:b'],
    unknown: [
      '',
      'somebody',
      '192.0.2.1.5',
      '192.0.2.1:4711:1',
      '[192.0.2.1',
      '7',
      '1'.repeat(100_000),
      '192.0.2.1, 192.0.2.2',
      '_hidden',
    ],
  }
  for (const [block, addresses] of Object.entries(blocks)) {
    for (const address of addresses) {
      test(`${address.slice(0, 60)} counts as ${block}`, () => assert.equal(addressBlock(address), block))
    }
  }
})
