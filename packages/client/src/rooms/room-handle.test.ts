import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import type { Message } from '../generated/types.ts'
import { ParleyError } from '../parley-error.ts'
import { createStore } from '../store.ts'
import { RoomHandle, type RoomParts } from './room-handle.ts'
import type { Page } from './timeline.ts'

const message = (seq: number, fields: Partial<Message> = {}) =>
  ({
    ...{ _id: `m${seq}`, room: 'room', seq, createdAtMS: seq, updatedAtMS: seq, sender: { _id: 'bob' } },
    ...fields,
  }) as Message
const page = (...data: Message[]): Page => ({ data, userDeletedIDs: [], latestSeq: 4 })

/** A room of four messages, the last three of them unread; `listMessages` reads them in pages. */
function roomOf(listMessages: (query: { beforeMessage?: string }) => Promise<Page>, isConnected = () => true) {
  const room = new RoomHandle('room', {
    calls: { listMessages, listPins: async () => ({ data: [] }) },
    rooms: { rooms: createStore([]), get: () => ({ unread: 3, lastMessage: message(4) }), changed: () => undefined },
    outbox: { ofRoom: () => [], ofThread: () => [] },
    me: () => 'alice',
    sender: () => ({ _id: 'alice' }),
    isConnected,
    whenLoggedIn: async () => undefined,
    whenReady: async () => undefined,
    cached: async () => undefined,
  } as unknown as RoomParts)
  onTestFinished(() => room.close())
  return room
}

test('an open() that failed after its first page is resumed by the next call', async () => {
  let isConnected = true
  let reads = 0
  const read = async ({ beforeMessage }: { beforeMessage?: string }) => {
    reads++
    if (reads === 2) {
      isConnected = false
      throw new ParleyError('NETWORK_ERROR', 'the connection ended')
    }
    return beforeMessage === undefined ? page(message(3), message(4)) : page(message(1), message(2))
  }
  const room = roomOf(read, () => isConnected)
  await assert.rejects(room.open())
  assert.equal(room.firstUnread.get(), undefined)
  room.handleNew(message(5))
  isConnected = true
  await room.open()
  assert.equal(room.firstUnread.get(), 'm2')
})

test('a room opened mid-stream has all of the streamed text', async () => {
  const read = Promise.withResolvers<Page>()
  const room = roomOf(() => read.promise)
  const opened = room.open()
  room.handleStreaming({ room: 'room', sender: 'bob', message: 'm4', at: 6, text: 'world' })
  read.resolve(page(message(1), message(2), message(3), message(4, { message: 'Hello ', streaming: true })))
  await opened
  assert.deepEqual(room.streaming.get(), [{ user: 'bob', message: 'm4', text: 'Hello world' }])
})
