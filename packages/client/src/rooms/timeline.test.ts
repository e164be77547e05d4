import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Message } from '../generated/types.ts'
import { Timeline } from './timeline.ts'

const message = (seq: number, updatedAtMS = seq, changes: Partial<Message> = {}): Message =>
  ({
    _id: `m${seq}`,
    seq,
    updatedAtMS,
    createdAtMS: seq,
    isDeleted: false,
    message: `text ${seq}`,
    ...changes,
  }) as Message
const page = (seqs: number[], latestSeq: number) => ({
  data: seqs.map((seq) => message(seq)),
  userDeletedIDs: [],
  latestSeq,
})
const shown = (timeline: Timeline) => timeline.shown().map(({ seq }) => seq)

function loaded(seqs: number[], latestSeq: number): Timeline {
  const timeline = new Timeline()
  timeline.addPage(page(seqs, latestSeq), true)
  return timeline
}

describe('the loaded messages of a room', () => {
  test('are ordered by seq, without duplicates, however they arrive', () => {
    const timeline = loaded([3, 2, 1], 3)
    for (const seq of [5, 4, 5, 4, 3]) timeline.apply({ kind: 'message', message: message(seq) })
    assert.deepEqual(shown(timeline), [1, 2, 3, 4, 5])
    assert.equal(timeline.hasGap(), false)
  })

  test('have a gap until it is filled', () => {
    const timeline = loaded([2, 1], 2)
    timeline.apply({ kind: 'message', message: message(5) })
    assert.deepEqual([timeline.hasGap(), shown(timeline)], [true, [1, 2, 5]])
    timeline.addPage(page([3, 4, 5], 5))
    assert.deepEqual([timeline.hasGap(), shown(timeline)], [false, [1, 2, 3, 4, 5]])
  })

  test('drop the oldest after thousands of arrivals, except older pages that were loaded', () => {
    const timeline = loaded([101], 101)
    const arrive = (upTo: number) => {
      for (let seq = timeline.high + 1; seq <= upTo; seq++) timeline.apply({ kind: 'message', message: message(seq) })
    }
    arrive(5_100)
    assert.deepEqual([timeline.low, shown(timeline).length], [101, 5_000])
    arrive(5_101)
    assert.deepEqual([timeline.low, shown(timeline).length, timeline.get('m101')], [1_101, 4_001, undefined])
    timeline.addPage(page([1_100, 1_099], 5_101))
    arrive(10_000)
    assert.equal(timeline.low, 1_099)
    arrive(100_000)
    assert.ok(shown(timeline).length < 11_000 && !timeline.hasGap())
  })

  test('exclude new messages while the latest ones are not loaded', () => {
    const timeline = new Timeline()
    timeline.addPage(page([5, 4], 9))
    timeline.apply({ kind: 'message', message: message(10) })
    assert.deepEqual([timeline.isFollowing, shown(timeline)], [false, [4, 5]])
    timeline.addPage(page([6, 7, 8, 9, 10], 10))
    timeline.apply({ kind: 'message', message: message(11) })
    assert.deepEqual([timeline.isFollowing, shown(timeline).at(-1)], [true, 11])
  })

  test('have no gap in a room whose old messages were removed', () => {
    const timeline = new Timeline()
    timeline.addPage(page([], 7), true)
    assert.deepEqual([timeline.hasGap(), timeline.latestSeq], [false, 7])
    timeline.apply({ kind: 'message', message: message(8) })
    assert.deepEqual([timeline.hasGap(), shown(timeline)], [false, [8]])
  })

  test('keep a change that happens while an older page is being read', async () => {
    const timeline = loaded([1], 1)
    await timeline.loading(async () => {
      timeline.apply({ kind: 'message', message: message(2, 7, { message: 'edited' }) })
      timeline.apply({ kind: 'deleted', messageID: 'm3' })
      timeline.apply({ kind: 'hidden', messageIDs: ['m1'] })
      timeline.addPage(page([1, 2, 3], 3))
    })
    assert.deepEqual(shown(timeline), [2, 3])
    assert.equal(timeline.get('m2')?.message, 'edited')
    assert.deepEqual([timeline.get('m3')?.isDeleted, timeline.get('m3')?.message], [true, undefined])
  })

  test('quote the current state of their parent, loaded or not', () => {
    const quote = (seq: number) => ({
      _id: `m${seq}`,
      sender: 'bob',
      messageType: 'text',
      text: 'old',
      isDeleted: false,
    })
    const replyTo = (seq: number): Partial<Message> => ({ replyTo: quote(seq) })
    const by = { sender: { _id: 'bob' } as Message['sender'] }
    const timeline = new Timeline()
    timeline.addPage({ ...page([], 4), data: [message(3, 3, replyTo(1)), message(4, 4, replyTo(3))] }, true)
    const quoted = (seq: number) => [timeline.at(seq)?.replyTo?.text, timeline.at(seq)?.replyTo?.isDeleted]

    timeline.apply({ kind: 'message', message: message(1, 9, { ...by, message: { text: 'x'.repeat(300) } }) })
    assert.deepEqual(quoted(3), ['x'.repeat(200), false])
    timeline.apply({ kind: 'message', message: message(3, 8, { ...by, ...replyTo(1), message: 'new' }) })
    timeline.apply({ kind: 'message', message: message(3, 5, { ...by, ...replyTo(1), message: 'outdated' }) })
    assert.deepEqual(quoted(4), ['new', false])
    for (const messageID of ['m1', 'm3']) timeline.apply({ kind: 'deleted', messageID })
    timeline.apply({ kind: 'message', message: message(1, 7, { ...by, message: 'late' }) })
    assert.deepEqual(
      [quoted(3), quoted(4)],
      [
        ['', true],
        ['', true],
      ],
    )
  })

  test('stay deleted when older events arrive late', () => {
    const timeline = loaded([2, 1], 2)
    timeline.apply({ kind: 'all deleted', had: ({ seq }) => seq <= 2 })
    timeline.apply({ kind: 'message', message: message(1, 9) })
    timeline.apply({ kind: 'message', message: message(3) })
    assert.deepEqual(
      timeline.shown().map(({ isDeleted }) => isDeleted),
      [true, true, false],
    )
  })
})
