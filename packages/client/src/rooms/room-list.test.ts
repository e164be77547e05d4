import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Message, Room } from '../generated/types.ts'
import { RoomList } from './room-list.ts'

describe('the list of rooms', () => {
  test('reads a room that it hears of before the login when the login is over, not before', async () => {
    const asked: string[] = []
    let isConnected = false
    const calls = {
      listRooms: async () => ({ data: [], totalCount: 0, inspect: null as never }),
      getRoom: async ({ id }: { id: string }) => {
        asked.push(id)
        return { _id: id, unread: 1, status: 1, members: [], lastMessage: null } as unknown as Room
      },
    }
    const list = new RoomList({ calls, me: () => 'alice', isConnected: () => isConnected })
    list.heardMessage({ _id: 'm1', room: 'new-room', seq: 1 } as Message)
    assert.deepEqual(asked, [])
    isConnected = true
    await list.settled()
    assert.deepEqual(asked, ['new-room'])
    assert.equal(list.get('new-room')?.unread, 1)
  })
})
