import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { CallOptions } from '../calls/http-call.ts'
import type { ListEventsResult } from '../generated/types.ts'
import { eventsAfter } from './events.ts'

test('a long poll for events extends the call timeout by its wait', async () => {
  const calls: { waitMS: number; timeoutMS: number }[] = []
  const event = { cursor: 'c2' } as ListEventsResult['data'][number]
  const listEvents = async ({ wait = 0 }: { wait?: number } = {}, { timeoutMS = 0 }: CallOptions = {}) => {
    calls.push({ waitMS: wait * 1_000, timeoutMS })
    return { data: wait > 0 ? [event] : [], cursor: 'c1' }
  }
  for await (const _ of eventsAfter({ listEvents }, {}, 1_000)) break
  assert.equal(calls.length, 2)
  assert.ok(calls.some(({ waitMS }) => waitMS > 1_000))
  for (const { waitMS, timeoutMS } of calls) assert.equal(timeoutMS - waitMS, 1_000)
})
