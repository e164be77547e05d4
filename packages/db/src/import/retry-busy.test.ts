import assert from 'node:assert/strict'
import { MongoServerError } from 'mongodb'
import { test } from 'vitest'
import { retryBusy } from './retry-busy.ts'

function failing(
  times: number,
  code: number,
  errorLabels: string[] = [],
): { write: () => Promise<string>; tries: () => number } {
  let tries = 0
  const write = async () => {
    if (tries++ < times) throw new MongoServerError({ code, message: 'failed', errorLabels })
    return 'written'
  }
  return { write, tries: () => tries }
}

test("a write that exceeds the server's time limit is retried until it succeeds", async () => {
  const busy = failing(2, 50)
  assert.equal(await retryBusy(busy.write), 'written')
  assert.equal(busy.tries(), 3)
})

test('a write whose transaction was aborted is retried until it succeeds', async () => {
  const aborted = failing(2, 251, ['TransientTransactionError'])
  assert.equal(await retryBusy(aborted.write), 'written')
  assert.equal(aborted.tries(), 3)
})

test('a write that fails otherwise is not retried', async () => {
  const taken = failing(1, 11_000)
  await assert.rejects(retryBusy(taken.write), { code: 11_000 })
  assert.equal(taken.tries(), 1)
})
