import assert from 'node:assert/strict'
import { describe, test, vi } from 'vitest'
import type { Message } from '../generated/types.ts'
import { networkError, ParleyError } from '../parley-error.ts'
import { RoomHistory } from './room-history.ts'
import type { Page } from './timeline.ts'

describe('the first messages of an opened room', () => {
  const page = { data: [{ _id: 'a', seq: 1 } as Message], userDeletedIDs: [], latestSeq: 1 } satisfies Page
  const away = () => new ParleyError('SERVICE_UNAVAILABLE', 'the database is away', 503)

  /** @param read the result of each read, by its number */
  function scene(read: (n: number) => Promise<Page>) {
    let reads = 0
    const connection = { isConnected: true }
    const loaded = new RoomHistory({
      read: () => read(++reads),
      isConnected: () => connection.isConnected,
      onChange: () => undefined,
    })
    return { loaded, connection, reads: () => reads }
  }

  test('are retried after temporary failures, once for all callers', async () => {
    const { loaded, reads } = scene(async (n) => {
      if (n <= 2) throw away()
      return page
    })
    await Promise.all([loaded.load(50), loaded.load(50)])
    assert.equal(reads(), 3)
    assert.equal(loaded.history.get().isLoaded, true)
  })

  test('are not retried after a refusal, but later callers can retry', async () => {
    const { loaded, reads } = scene(async (n) => {
      if (n === 1) throw new ParleyError('NOT_ROOM_MEMBER', 'not a member', 403)
      return page
    })
    await assert.rejects(loaded.load(50), { code: 'NOT_ROOM_MEMBER' })
    assert.equal(reads(), 1)
    await loaded.load(50)
    assert.equal(loaded.history.get().isLoaded, true)
  })

  test('fail without a connection, even if it ends between retries', async () => {
    const { loaded, connection, reads } = scene(async () => {
      throw networkError('not connected')
    })
    connection.isConnected = false
    await assert.rejects(loaded.load(50), { code: 'NETWORK_ERROR' })
    assert.equal(reads(), 1)
    connection.isConnected = true
    const opening = loaded.load(50)
    opening.catch(() => undefined)
    await vi.waitFor(() => assert.equal(reads(), 2), { timeout: 60_000 })
    connection.isConnected = false
    await assert.rejects(opening, { code: 'NETWORK_ERROR' })
  })

  test('around a message are not retried: the user sees the failure and clicks again', async () => {
    const { loaded, reads } = scene(async () => {
      throw away()
    })
    await assert.rejects(loaded.load(50, 'a'), { code: 'SERVICE_UNAVAILABLE' })
    assert.equal(reads(), 1)
  })
})
