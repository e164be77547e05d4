import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EventPayload, ServerEvent } from '@parley/contracts/socket/server-events'
import { describe, test } from 'vitest'
import type { ServerEvents } from '../src/generated/types.ts'
import { contractFiles } from './contract-files.ts'

const folder = join(import.meta.dirname, '../src/generated')

describe("the client's generated files", () => {
  test('are up to date (run npm run docs:client)', async () => {
    for (const [name, text] of Object.entries(await contractFiles())) {
      assert.equal(readFileSync(join(folder, name), 'utf8'), text, name)
    }
  })

  test('match the types inferred from the schemas', () => {
    // tsc fails if any type differs.
    const isSame: [DifferentEvent] extends [never] ? true : DifferentEvent = true
    assert.ok(isSame)
  })
})

/** Events whose generated type is not assignable to the contract's. */
type DifferentEvent = { [E in ServerEvent]: ServerEvents[E] extends EventPayload<E> ? never : E }[ServerEvent]
