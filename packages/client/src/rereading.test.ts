import assert from 'node:assert/strict'
import { setImmediate as nextTask } from 'node:timers/promises'
import { describe, test, vi } from 'vitest'
import { networkError, ParleyError } from './parley-error.ts'
import { rereading } from './rereading.ts'

describe('state that is reread on request', () => {
  function scene() {
    const reads: PromiseWithResolvers<void>[] = []
    const connection = { isConnected: true }
    const reading = rereading(
      () => {
        reads.push(Promise.withResolvers())
        return reads.at(-1)?.promise ?? Promise.resolve()
      },
      () => connection.isConnected,
    )
    return { reads, connection, ...reading }
  }

  test('is read once after the next login if the connection ended first', async () => {
    const { reads, connection, ask, loggedIn } = scene()
    ask()
    connection.isConnected = false
    reads[0]?.reject(networkError('not connected'))
    await nextTask()
    connection.isConnected = true
    loggedIn()
    await vi.waitFor(() => assert.equal(reads.length, 2), { timeout: 60_000 })
    reads[1]?.resolve()
    await nextTask()
    loggedIn()
    assert.equal(reads.length, 2)
  })

  test('is read after the next login if there is no connection', () => {
    const { reads, connection, ask, loggedIn } = scene()
    connection.isConnected = false
    ask()
    assert.equal(reads.length, 0)
    connection.isConnected = true
    loggedIn()
    assert.equal(reads.length, 1)
  })

  test('is not requested again after a permanent refusal', async () => {
    const { reads, ask, loggedIn } = scene()
    ask()
    reads[0]?.reject(new ParleyError('NOT_ROOM_MEMBER', 'not a member', 403))
    await nextTask()
    loggedIn()
    assert.equal(reads.length, 1)
  })
})
