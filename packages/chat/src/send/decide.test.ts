import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { MessageBatch, type SendResult } from './decide.ts'
import type { Draft } from './new-message.ts'

const app = 'app'
const room = (id: string, fields: Partial<RoomDoc> = {}) =>
  ({ _id: key(app, id), app, id, seq: 0, clockMS: 0, status: 1, ...fields }) as RoomDoc
const member = (of: string, user: string, fields: Partial<MembershipDoc> = {}) =>
  ({ _id: key(app, of, user), app, room: of, user, ...fields }) as MembershipDoc
const draft = (fields: Partial<Draft> = {}): Draft => ({
  ...{ app, room: 'r', sender: 'ann', content: '"hi"', messageType: 'text', push: true },
  ...fields,
})

function batchOf(drafts: readonly Draft[], rooms: RoomDoc[], members: MembershipDoc[], sent: MessageDoc[] = []) {
  const before = new Map(sent.map((message) => [key(app, message.sender, 'key', message.room), message]))
  const batch = new MessageBatch({ rooms, memberships: members, pauses: new Map() }, before)
  for (const [i, each] of drafts.entries()) batch.add({ ...each, id: `m${i}` })
  return batch
}
const refusal = (result: SendResult | undefined) => (result && 'refused' in result ? result.refused : undefined)

describe('a batch of messages', () => {
  for (const [code, rooms, members] of [
    ['ROOM_NOT_FOUND', [], [member('r', 'ann')]],
    ['ROOM_NOT_FOUND', [room('r', { deletedAt: new Date() })], [member('r', 'ann')]],
    ['NOT_ROOM_MEMBER', [room('r')], [member('r', 'bob'), member('other', 'ann')]],
    ['USER_BLOCKED', [room('r')], [member('r', 'ann', { blocked: true })]],
    ['ROOM_FROZEN', [room('r', { status: 0 })], [member('r', 'ann')]],
    ['ROOM_IMPORTING', [room('r', { importing: true })], [member('r', 'ann')]],
  ] as const) {
    test(`refuses a draft with ${code} without a trace`, () => {
      const batch = batchOf([draft({ sendKey: 'key' })], [...rooms], [...members])
      assert.equal(refusal(batch.results[0]), code)
      assert.deepEqual([batch.messages.length, batch.advances.size, batch.sent.size], [0, 0, 0])
    })
  }

  test('gives the messages of each room consecutive seqs, despite refused drafts in between', () => {
    const rooms = [room('one', { seq: 7, clockMS: 5 }), room('two'), room('frozen', { status: 0 })]
    const members = rooms.flatMap(({ id }) => [member(id, 'ann'), member(id, 'bob')])
    const one = fc.record({
      room: fc.constantFrom('one', 'two', 'frozen', 'none'),
      sender: fc.constantFrom('ann', 'bob', 'stranger'),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 30 }), (given) => {
        const batch = batchOf(given.map(draft), rooms, members)
        assert.equal(batch.results.length, given.length)
        for (const { id, _id, seq } of rooms) {
          const messages = batch.messages.filter(({ roomKey }) => roomKey === _id)
          const accepted = given.filter((each) => each.room === id && each.sender !== 'stranger' && id !== 'frozen')
          assert.deepEqual(
            messages.map((message) => [message.seq, message.sender]),
            accepted.map(({ sender }, i) => [seq + i + 1, sender]),
          )
          const last = messages.at(-1)
          const advance = batch.advances.get(_id)
          assert.deepEqual(
            [advance?.seq, advance?.lastMessageID, advance?.clockMS],
            [last?.seq, last?._id, last?.createdAtMS],
          )
          for (const user of ['ann', 'bob']) {
            const own = messages.filter(({ sender }) => sender === user).length
            assert.equal(batch.sent.get(key(app, id, user)) ?? 0, own)
          }
        }
        const accepted = batch.results.flatMap((result) => ('message' in result ? [result.message] : []))
        assert.deepEqual(accepted, batch.messages)
      }),
    )
  })

  test('sends a repeated draft once, and returns the first message for repeats', () => {
    const drafts = [1, 2, 3].map((n) => draft({ sendKey: 'key', content: String(n) }))
    const batch = batchOf(drafts, [room('r')], [member('r', 'ann')])
    assert.equal(batch.messages.length, 1)
    assert.deepEqual(
      batch.results.map((result) => 'message' in result && [result.message._id, result.repeated]),
      [
        ['m0', false],
        ['m0', true],
        ['m0', true],
      ],
    )
  })

  test('finds the message of an earlier batch, even if the sender has lost access', () => {
    const [first] = batchOf([draft()], [room('r')], [member('r', 'ann')]).messages
    assert.ok(first)
    const batch = batchOf([draft({ sendKey: 'key' })], [room('r', { status: 0 })], [], [first])
    const [result] = batch.results
    assert.deepEqual(result && 'message' in result && [result.message._id, result.repeated], ['m0', true])
  })

  test('accepts an idempotency key once per room', () => {
    const rooms = [room('r'), room('other')]
    const members = rooms.map(({ id }) => member(id, 'ann'))
    const drafts = ['r', 'other', 'other', 'r'].map((id) => draft({ room: id, sendKey: 'key' }))
    const batch = batchOf(drafts, rooms, members)
    assert.deepEqual(
      batch.results.map((result) => 'message' in result && result.message._id),
      ['m0', 'm1', 'm1', 'm0'],
    )
  })

  test('keeps a message as sent', () => {
    const said = draft({
      ...{ content: '{"a":[1]}', mentions: ['bob'], push: false, skipTotalBadge: true, webhook: false },
      ...{ clientMessageID: 'c', request: 'q', sendKey: 'key' },
    })
    const [message] = batchOf([said], [room('r')], [member('r', 'ann')]).messages
    const { createdAtMS, updatedAtMS, ...rest } = message as MessageDoc
    assert.equal(createdAtMS, updatedAtMS)
    assert.deepEqual(rest, {
      ...{ _id: 'm0', app, room: 'r', roomKey: key(app, 'r'), seq: 1, sender: 'ann', content: '{"a":[1]}' },
      ...{ messageType: 'text', mentions: ['bob'], clientMessageID: 'c', push: false, skipTotalBadge: true },
      ...{ webhook: false, request: 'q' },
    })
  })
})
