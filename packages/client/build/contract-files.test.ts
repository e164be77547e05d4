import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EventPayload, ServerEvent } from '@parley/contracts/socket/server-events'
import { describe, test } from 'vitest'
import type { ServerEvents } from '../src/generated/types.ts'
import { contractFiles } from './contract-files.ts'

const folder = join(import.meta.dirname, '../src/generated')

describe("the library's files from the contract", () => {
  test('are up to date: npm run docs:client', async () => {
    for (const [name, text] of Object.entries(await contractFiles())) {
      assert.equal(readFileSync(join(folder, name), 'utf8'), text, name)
    }
  })

  test('have the types of the schemas', () => {
    // tsc fails as soon as one differs.
    const isSame: [DifferentEvent] extends [never] ? true : DifferentEvent = true
    assert.ok(isSame)
  })
})

/** Where the library's type is one that the contract does not allow. */
type DifferentEvent = { [E in ServerEvent]: ServerEvents[E] extends EventPayload<E> ? never : E }[ServerEvent]
