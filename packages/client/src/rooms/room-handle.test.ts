import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import type { Message } from '../generated/types.ts'
import { ParleyError } from '../parley-error.ts'
import { createStore } from '../store.ts'
import { RoomHandle, type RoomParts } from './room-handle.ts'

const message = (seq: number) =>
  ({ _id: `m${seq}`, room: 'room', seq, createdAtMS: seq, updatedAtMS: seq, sender: { _id: 'bob' } }) as Message

test('a room whose opening broke off after its first page is opened by the next call: it has its first unread message', async () => {
  let isConnected = true
  let reads = 0
  const room = new RoomHandle('room', {
    calls: {
      async listMessages({ beforeMessage }: { beforeMessage?: string }) {
        reads++
        if (reads === 2) {
          isConnected = false
          throw new ParleyError('NETWORK_ERROR', 'the connection ended')
        }
        const seqs = beforeMessage === undefined ? [3, 4] : [1, 2]
        return { data: seqs.map(message), userDeletedIDs: [], totalCount: 4 }
      },
      listPins: async () => ({ data: [] }),
    },
    rooms: { rooms: createStore([]), get: () => ({ unread: 3 }), changed: () => undefined },
    outbox: { ofRoom: () => [], ofThread: () => [] },
    me: () => 'alice',
    sender: () => ({ _id: 'alice' }),
    isConnected: () => isConnected,
    whenLoggedIn: async () => undefined,
    whenReady: async () => undefined,
  } as unknown as RoomParts)
  onTestFinished(() => room.close())
  await assert.rejects(room.open())
  assert.equal(room.firstUnread.get(), undefined)
  isConnected = true
  await room.open()
  assert.equal(room.firstUnread.get(), 'm2')
})
