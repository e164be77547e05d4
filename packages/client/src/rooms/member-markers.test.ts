import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Message } from '../generated/types.ts'
import { createMemberMarkers } from './member-markers.ts'
import { Timeline } from './timeline.ts'

const message = (seq: number) =>
  ({ _id: `m${seq}`, room: 'room', seq, createdAtMS: seq, updatedAtMS: seq, sender: { _id: 'alice' } }) as Message

/** Messages 10 and 11 of a room of `latestSeq` messages are loaded. */
function markersOf(latestSeq: number) {
  const timeline = new Timeline()
  timeline.addPage({ data: [10, 11].map(message), userDeletedIDs: [], latestSeq })
  return { timeline, markers: createMemberMarkers('room', { me: () => 'alice' } as never, timeline) }
}

test('a member who reads an old message that is not loaded has not read the loaded ones', () => {
  const { timeline, markers } = markersOf(11)
  markers.hasRead('bob', 'm2')
  assert.deepEqual([markers.readBy('m10'), markers.deliveredTo('m10')], [[], []])
  markers.hasRead('bob', 'm10')
  markers.hasRead('bob', 'm3')
  assert.deepEqual([markers.readBy('m10'), markers.readBy('m11')], [['bob'], []], 'a replayed event changes nothing')
  markers.hasRead('carl', 'm9')
  timeline.addPage({ data: [8, 9].map(message), userDeletedIDs: [], latestSeq: 11 })
  assert.deepEqual([markers.readBy('m9'), markers.readBy('m10')], [['bob', 'carl'], ['bob']])
})

test('a member who reads a message beyond the loaded ones has read those', () => {
  const { markers } = markersOf(20)
  markers.hasRead('bob', 'm20')
  assert.deepEqual(markers.readBy('m11'), ['bob'])
})

test('a member who reads a message that is loaded only later has read it then', () => {
  const { timeline, markers } = markersOf(11)
  markers.hasRead('bob', 'm10')
  markers.hasRead('bob', 'm12')
  markers.hasRead('carl', 'm12')
  assert.deepEqual([markers.readBy('m10'), markers.readBy('m11')], [['bob'], []])
  timeline.addPage({ data: [message(12)], userDeletedIDs: [], latestSeq: 12 })
  const [of11, of12] = [markers.readBy('m11'), markers.readBy('m12')]
  assert.deepEqual([of11.join(), of12.join()], ['bob,carl', 'bob,carl'])
})
