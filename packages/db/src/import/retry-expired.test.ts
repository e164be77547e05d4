import assert from 'node:assert/strict'
import { MongoServerError } from 'mongodb'
import { test } from 'vitest'
import { retryExpired } from './retry-expired.ts'

function failing(times: number, code: number): { write: () => Promise<string>; tries: () => number } {
  let tries = 0
  const write = async () => {
    if (tries++ < times) throw new MongoServerError({ code, message: 'failed' })
    return 'written'
  }
  return { write, tries: () => tries }
}

test("a write that exceeds the server's time limit is retried until it succeeds", async () => {
  const busy = failing(2, 50)
  assert.equal(await retryExpired(busy.write), 'written')
  assert.equal(busy.tries(), 3)
})

test('a write that fails otherwise is not retried', async () => {
  const taken = failing(1, 11_000)
  await assert.rejects(retryExpired(taken.write), { code: 11_000 })
  assert.equal(taken.tries(), 1)
})
