import assert from 'node:assert/strict'
import type { AppendOutcome, RoomAppend } from '@parley/contracts/bus/appends'
import { key } from '@parley/db/keys'
import { describe, test } from 'vitest'
import { createAskedRooms } from './asked-rooms.ts'

const appendTo = (room: string): RoomAppend => ({ app: 'app', room, rev: 1, mark: null, bytes: 1, messages: [] })
const written: AppendOutcome = { seq: 1, timesMS: [1] }

describe('a gateway that another asks to append', () => {
  test('does not when it asks for that room itself, before or meanwhile: neither waits for the other', async () => {
    const rooms = createAskedRooms()
    const outcomes: [string, AppendOutcome][] = []
    const take = (name: string, room: string) => rooms.take(appendTo(room), (outcome) => outcomes.push([name, outcome]))
    const answer = Promise.withResolvers<string>()
    const before = take('before', 'room')
    const elsewhere = take('elsewhere', 'another room')
    const asking = rooms.askFor([key('app', 'room')], () => answer.promise)
    const meanwhile = take('meanwhile', 'room')
    assert.deepEqual(outcomes, [
      ['before', 'notWritten'],
      ['meanwhile', 'notWritten'],
    ])
    assert.deepEqual(
      [before, meanwhile, elsewhere].map(({ isOver }) => isOver),
      [true, true, false],
    )
    answer.resolve('answered')
    assert.equal(await asking, 'answered')
    const after = take('after', 'room')
    for (const one of [after, elsewhere]) one.done(written)
    assert.deepEqual(outcomes.slice(2), [
      ['after', written],
      ['elsewhere', written],
    ])
  })

  test('has an outcome once: a second one changes nothing for what is asked later', async () => {
    const rooms = createAskedRooms()
    const outcomes: AppendOutcome[] = []
    const take = () => rooms.take(appendTo('room'), (outcome) => outcomes.push(outcome))
    const one = take()
    one.done('unknown')
    const later = take()
    one.done(written)
    await rooms.askFor([key('app', 'room')], () => Promise.resolve())
    assert.ok(later.isOver)
    assert.deepEqual(outcomes, ['unknown', 'notWritten'])
  })

  test('takes the room again when whoever it asked failed', async () => {
    const rooms = createAskedRooms()
    await assert.rejects(rooms.askFor([key('app', 'room')], () => Promise.reject(new Error('away'))))
    assert.ok(!rooms.take(appendTo('room'), () => undefined).isOver)
  })
})
