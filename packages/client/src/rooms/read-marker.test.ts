import assert from 'node:assert/strict'
import { describe, test, vi } from 'vitest'
import type { Message } from '../generated/types.ts'
import { networkError, ParleyError } from '../parley-error.ts'
import { ReadMarker } from './read-marker.ts'
import { Timeline } from './timeline.ts'

describe('a read marker', () => {
  function markerOf(report: (messageID: string) => Promise<unknown>, isConnected = () => true): ReadMarker {
    const rooms = { setUnread: () => undefined, changed: () => undefined }
    return new ReadMarker({ roomID: 'room', timeline: new Timeline(), rooms, me: () => 'alice', report, isConnected })
  }
  const tooMany = () => new ParleyError('TOO_MANY_REQUESTS', 'too many', 429)

  test('is reported again after a temporary refusal while connected', async () => {
    const reported: string[] = []
    const marker = markerOf(async (messageID) => {
      reported.push(messageID)
      if (reported.length === 1) throw tooMany()
    })
    marker.mark('one')
    await vi.waitFor(() => assert.deepEqual(reported, ['one', 'one']), { timeout: 60_000 })
    await marker.flush()
    assert.equal(reported.length, 2, 'nothing is left to report')
  })

  test('waits for the next login while disconnected', async () => {
    let isConnected = false
    const reported: string[] = []
    const marker = markerOf(
      async (messageID) => {
        if (!isConnected) throw networkError('not connected')
        reported.push(messageID)
      },
      () => isConnected,
    )
    marker.mark('one')
    await marker.flush()
    isConnected = true
    await marker.flush()
    assert.deepEqual(reported, ['one'])
  })

  test('is reported after the next login if the token expired', async () => {
    const reported: string[] = []
    let hasEnded = true
    const marker = markerOf(async (messageID) => {
      if (hasEnded) throw new ParleyError('INVALID_TOKEN', 'the token has expired', 401)
      reported.push(messageID)
    })
    marker.mark('one')
    await marker.flush()
    hasEnded = false
    await marker.flush()
    assert.deepEqual(reported, ['one'])
    await marker.flush()
    assert.deepEqual(reported, ['one'], 'once')
  })

  /**
   * A marker in a room with five messages from Bob. `unread` is the count in the room list, `asked` the number of
   * rereads.
   */
  function markerOfFive(report: (messageID: string) => Promise<unknown>, isConnected = () => true) {
    const timeline = new Timeline()
    const data = [1, 2, 3, 4, 5].map((seq) => ({ _id: `m${seq}`, seq, sender: { _id: 'bob' } }) as Message)
    timeline.addPage({ data, userDeletedIDs: [], latestSeq: 5 }, true)
    const list = { unread: 5, asked: 0 }
    const rooms = {
      setUnread: (_room: string, counted: number) => void (list.unread = counted),
      changed: () => void list.asked++,
    }
    const marker = new ReadMarker({ roomID: 'room', timeline, rooms, me: () => 'alice', report, isConnected })
    return { marker, list }
  }

  test('recounts after its report, since counts read earlier may be stale', async () => {
    const { marker, list } = markerOfFive(async () => void (list.unread = 5))
    marker.mark('m5')
    assert.equal(list.unread, 0)
    await marker.flush()
    assert.deepEqual(list, { unread: 0, asked: 0 })
  })

  test("recounts from another device's newer marker after its report", async () => {
    const { marker, list } = markerOfFive(async () => marker.heard('m4'))
    marker.mark('m2')
    await marker.flush()
    assert.equal(list.unread, 1)
  })

  test('leaves the count to the server after a permanent refusal', async () => {
    const { marker, list } = markerOfFive(() => Promise.reject(new ParleyError('MESSAGE_NOT_FOUND', 'gone', 404)))
    marker.mark('m5')
    await marker.flush()
    assert.equal(list.asked, 1)
  })

  test('ignores older markers of other devices', () => {
    const { marker, list } = markerOfFive(
      () => Promise.reject(networkError('not connected')),
      () => false,
    )
    marker.heard('m3')
    assert.equal(list.unread, 2)
    marker.heard('m5')
    assert.equal(list.unread, 0)
    marker.heard('m3')
    assert.equal(list.unread, 0)
    marker.close()
  })
})
