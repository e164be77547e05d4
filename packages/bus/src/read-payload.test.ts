import assert from 'node:assert/strict'
import { nodeAnnouncement } from '@parley/contracts/bus/control'
import { describe, test } from 'vitest'
import { readPayload } from './read-payload.ts'

const read = (data: string | Uint8Array) =>
  readPayload({ data: typeof data === 'string' ? new TextEncoder().encode(data) : data }, nodeAnnouncement)

describe('the payload of a bus message', () => {
  test('is parsed by its schema', () => {
    assert.deepEqual(read('{"node":"n","leaving":true}'), { node: 'n', leaving: true })
  })

  for (const [what, data, error] of [
    ['no JSON', '{', /JSON/],
    ['nothing', '', /JSON/],
    ['not UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), /valid/],
    ['outside the contract', '{"node":7}', /^Error: payload does not match the contract: node: /],
    ['of another kind', '[]', /^Error: payload does not match the contract: : /],
  ] as const) {
    test(`that is ${what} is an error`, () =>
      assert.throws(
        () => read(data),
        (thrown) => error.test(String(thrown)),
      ))
  }

  test('is logged as one short line, whatever its length', () => {
    const long = JSON.stringify({ node: { x: 'y'.repeat(10_000) }, leaving: 'z'.repeat(10_000) })
    assert.throws(
      () => read(long),
      (thrown) => String(thrown).length < 250,
    )
  })
})
