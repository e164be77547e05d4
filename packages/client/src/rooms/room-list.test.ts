import assert from 'node:assert/strict'
import { setImmediate as nextTask } from 'node:timers/promises'
import { describe, test } from 'vitest'
import type { ListRoomsResult, Message, Room, ServerEvents } from '../generated/types.ts'
import { RoomList } from './room-list.ts'

describe('the list of rooms', () => {
  /** A server whose calls the test resolves: `lists` reads all rooms, `asked` single ones. */
  function slowServer(isConnected: () => boolean = () => true) {
    const lists: PromiseWithResolvers<ListRoomsResult>[] = []
    const asked: ({ id: string } & PromiseWithResolvers<Room>)[] = []
    const begun = <T>(all: T[], call: T) => {
      all.push(call)
      return call
    }
    const list = new RoomList({
      calls: {
        listRooms: () => begun(lists, Promise.withResolvers<ListRoomsResult>()).promise,
        getRoom: ({ id }) => begun(asked, { id, ...Promise.withResolvers<Room>() }).promise,
      },
      me: () => 'alice',
      isConnected,
    })
    const unread = () => list.get('room')?.unread
    return { list, lists, asked, unread }
  }
  const room = (unread: number, lastSeq: number, _id = 'room') =>
    ({ _id, unread, status: 1, members: [], lastMessage: message(lastSeq) }) as unknown as Room
  const message = (seq: number) => ({ _id: `m${seq}`, room: 'room', seq, sender: { _id: 'bob' } }) as Message
  const listOf = (...data: Room[]) => ({ data, totalCount: data.length }) as ListRoomsResult

  test('reads the room of an event that precedes the login after the login', async () => {
    let isConnected = false
    const { list, asked, unread } = slowServer(() => isConnected)
    list.handleMessage(message(1))
    assert.equal(asked.length, 0)
    isConnected = true
    const settled = list.settled()
    asked[0]?.resolve(room(1, 1))
    await settled
    assert.deepEqual([asked.map(({ id }) => id), unread()], [['room'], 1])
  })

  test('does not undo a later read of one room when a slow read of the list arrives', async () => {
    const { list, lists, asked, unread } = slowServer()
    const refreshed = list.refresh()
    list.handleMessage(message(11))
    asked[0]?.resolve(room(4, 11))
    await nextTask()
    lists[0]?.resolve(listOf(room(3, 10)))
    await nextTask()
    assert.equal(unread(), 4)
    asked[1]?.resolve(room(4, 11))
    await refreshed
    assert.equal(unread(), 4)
  })

  test('does not undo a reread after a deletion when a slow read of the list arrives', async () => {
    const { list, lists, asked, unread } = slowServer()
    const first = list.refresh()
    lists[0]?.resolve(listOf(room(3, 10)))
    await first
    const refreshed = list.refresh()
    list.handleDeletion({ room: 'room', messageID: 'm9' })
    asked[0]?.resolve(room(2, 10))
    await nextTask()
    lists[1]?.resolve(listOf(room(3, 10)))
    await nextTask()
    asked[1]?.resolve(room(2, 10))
    await refreshed
    assert.equal(unread(), 2)
  })

  test('keeps a last message newer than a deletion of all, and empties one that it covers', async () => {
    const { list, lists } = slowServer(() => false)
    const refreshed = list.refresh()
    lists[0]?.resolve(listOf(room(1, 4)))
    await refreshed
    const isDeleted = () => list.get('room')?.lastMessage?.isDeleted ?? false
    list.handleDeletion({ room: 'room', messageID: '_all', upToSeq: 3 })
    assert.equal(isDeleted(), false)
    list.handleDeletion({ room: 'room', messageID: '_all', upToSeq: 4 })
    assert.equal(isDeleted(), true)
  })

  test('takes precedence over an earlier read of one room', async () => {
    const { list, lists, asked, unread } = slowServer()
    const old = list.refreshRoom('room')
    const refreshed = list.refresh()
    lists[0]?.resolve(listOf(room(4, 11)))
    await nextTask()
    asked[0]?.resolve(room(3, 10))
    await nextTask()
    asked[1]?.resolve(room(4, 11))
    await Promise.all([old, refreshed])
    assert.equal(unread(), 4)
  })

  test('rereads a room after the login if its preferences were replayed, since they may be outdated', async () => {
    let isConnected = true
    const { list, lists, asked } = slowServer(() => isConnected)
    const first = list.refresh()
    lists[0]?.resolve(listOf(room(0, 1)))
    await first
    isConnected = false
    list.handlePref({ room: 'room', sticky: true, muted: false } as ServerEvents['roomPref'])
    assert.equal(asked.length, 0)
    isConnected = true
    const settled = list.settled()
    asked[0]?.resolve({ ...room(0, 1), pref: { sticky: false } } as Room)
    await settled
    assert.equal(list.get('room')?.pref?.sticky, false)
  })

  test('keeps the user’s notifications of a room when the room changes', async () => {
    const { list, lists } = slowServer()
    const first = list.refresh()
    lists[0]?.resolve(listOf(room(0, 1)))
    await first
    list.handleNotifications('room', { level: 'mentions' })
    list.handleRoom({ ...room(0, 1), name: 'new' })
    assert.deepEqual([list.get('room')?.name, list.get('room')?.notifications], ['new', { level: 'mentions' }])
  })

  test('counts a message that arrives during the first read of its room', async () => {
    const { list, asked, unread } = slowServer()
    list.handleRoom(room(0, 0))
    list.handleMessage(message(1))
    asked[0]?.resolve(room(0, 0))
    await nextTask()
    asked[1]?.resolve(room(1, 1))
    await nextTask()
    assert.equal(unread(), 1)
  })

  test('keeps a personally deleted last message without content when others react to it', async () => {
    const { list, lists } = slowServer()
    const refreshed = list.refresh()
    const hidden = { ...message(4), isDeleted: true, message: '', updatedAtMS: 4 }
    lists[0]?.resolve(listOf({ ...room(0, 4), lastMessage: hidden }))
    await refreshed
    list.handleUpdate({ ...message(4), isDeleted: false, message: 'hidden words', updatedAtMS: 5 })
    assert.equal(list.get('room')?.lastMessage?.message, '')
  })

  test('rereads a room at a deletion only if it has unread messages', async () => {
    const { list, lists, asked } = slowServer()
    const refreshed = list.refresh()
    lists[0]?.resolve(listOf(room(0, 9), room(2, 9, 'other')))
    await refreshed
    for (const n of [1, 2, 3]) list.handleDeletion({ room: 'room', messageID: `m${n}` })
    list.handleDeletion({ room: 'other', messageID: 'm1' })
    assert.deepEqual(
      asked.map(({ id }) => id),
      ['other'],
    )
  })

  test('stops counting a recalled message as unread', async () => {
    const { list, lists, asked, unread } = slowServer()
    const refreshed = list.refresh()
    lists[0]?.resolve(listOf(room(1, 9), room(0, 9, 'other')))
    await refreshed
    const recalled = (seq: number, of = 'room') => ({ ...message(seq), room: of, messageType: 'recall' })
    list.handleMessage(recalled(10))
    assert.equal(unread(), 1)
    list.handleUpdate(recalled(8, 'other'))
    list.handleUpdate({ ...recalled(8), message: 'only of that type' })
    assert.equal(asked.length, 0)
    list.handleUpdate(recalled(8))
    asked[0]?.resolve(room(0, 10))
    await nextTask()
    assert.equal(unread(), 0)
  })

  test("removes a deleted message's text from a last message that quotes it", async () => {
    const { list, lists } = slowServer()
    const refreshed = list.refresh()
    const replyTo = { _id: 'm1', sender: 'bob', messageType: 'text', text: 'a secret', isDeleted: false }
    lists[0]?.resolve(listOf({ ...room(0, 2), lastMessage: { ...message(2), replyTo } }))
    await refreshed
    list.handleDeletion({ room: 'room', messageID: 'm1' })
    assert.deepEqual(list.get('room')?.lastMessage?.replyTo, { ...replyTo, text: '', isDeleted: true })
  })
})
