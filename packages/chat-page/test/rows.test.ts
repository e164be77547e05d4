import assert from 'node:assert/strict'
import type { RoomMessage } from '@parley/client'
import { describe, test } from 'vitest'
import { firstUnreadOf, toRows } from '../src/room/rows.ts'

const noon = new Date(2026, 10, 20, 12).getTime()
const minute = 60_000

const message = (_id: string, sender: string, atMS: number, more: object = {}): RoomMessage =>
  ({ _id, key: _id, sender: { _id: sender }, messageTimeMS: atMS, messageType: 'text', ...more }) as RoomMessage

describe('the rows of the list of messages', () => {
  test('messages of one sender are grouped; a day, a pause, "new" and a system message split the group', () => {
    const rows = toRows(
      [
        message('1', 'bob', noon),
        message('2', 'bob', noon + minute),
        message('3', 'bob', noon + 10 * minute),
        message('4', 'amy', noon + 10 * minute),
        message('5', 'amy', noon + 11 * minute),
        message('6', 'amy', noon + 11 * minute, { messageType: 'joinRoom', system: true }),
        message('7', 'amy', noon + 11 * minute),
        message('8', 'amy', noon + 24 * 60 * minute),
      ],
      '5',
    )
    const named = (part: 'startsGroup' | 'endsGroup' | 'startsDay' | 'isFirstUnread') =>
      rows.filter((row) => row[part]).map((row) => row.message._id)
    assert.deepEqual(named('startsGroup'), ['1', '3', '4', '5', '6', '7', '8'])
    assert.deepEqual(named('endsGroup'), ['2', '3', '4', '5', '6', '7', '8'])
    assert.deepEqual(named('startsDay'), ['1', '8'])
    assert.deepEqual(named('isFirstUnread'), ['5'])
  })

  test('"new" starts before the unread messages of others', () => {
    const mine = { isMine: true }
    const messages = [
      message('1', 'bob', 1),
      message('2', 'bob', 2, { messageType: 'image' }),
      message('3', 'me', 3, mine),
      message('4', 'bob', 4),
    ]
    assert.equal(firstUnreadOf(messages, 0), undefined)
    assert.equal(firstUnreadOf(messages, 1), '4')
    assert.equal(firstUnreadOf(messages, 2), '2')
    assert.equal(firstUnreadOf(messages, 4), undefined)
  })

  test('recalled and deleted messages are not unread', () => {
    const messages = [
      message('4', 'bob', 4),
      message('5', 'bob', 5),
      message('6', 'bob', 6, { messageType: 'recall' }),
      message('7', 'bob', 7, { isDeleted: true }),
    ]
    assert.equal(firstUnreadOf(messages, 2), '4')
  })
})
