import assert from 'node:assert/strict'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import { describe, test } from 'vitest'
import type { Session, UserSocket } from '../connections/session.ts'
import { topicOf } from '../delivery/topics.ts'
import { concerns, type ReplayReader } from './replay-reader.ts'

describe('the replay of a socket', () => {
  const nowMS = Date.now()
  const app = 'app'
  const audiences = [
    { app, room: 'old' },
    { app, room: 'new' },
    { app, room: 'newest' },
    { app, user: 'bob' },
  ]
  const topics = new Set(audiences.map(topicOf))
  const afterMS = new Map([[topicOf({ app, room: 'newest' }), nowMS + 100]])
  const reader: ReplayReader = {
    socket: {
      isIn: (topic: string) => topics.has(topic),
      gets: (topic: string, sentAtMS: number) => topics.has(topic) && sentAtMS > (afterMS.get(topic) ?? 0),
    } as UserSocket,
    session: { app, user: 'bob', device: 'phone' } as Session,
    sinceMS: nowMS - 60_000,
    givenSinceMS: nowMS - 60_000,
    createdMS: 0,
    from: new Map(),
    sent: new Map(),
    nextSeqs: new Map(),
    events: 0,
    beganMS: nowMS,
    joinedAtMS: new Map([
      ['old', nowMS - 3_600_000],
      ['new', nowMS - 20_000],
    ]),
  }
  const has = (to: IncomingEvent['to'], agoMS: number, as = reader) =>
    concerns(
      { to, event: 'chat message' } as IncomingEvent,
      { stream: 'PARLEY_EVENTS', seq: 1, takenAtMS: nowMS - agoMS },
      as,
    )

  test('includes events of a room since the user joined it', () => {
    assert.ok(has({ app, room: 'old' }, 30_000))
    assert.ok(!has({ app, room: 'new' }, 30_000))
    assert.ok(has({ app, room: 'new' }, 10_000))
  })

  test('includes no earlier events of a room joined during the login', () => {
    assert.ok(!has({ app, room: 'newest' }, 10_000))
    assert.ok(has({ app, room: 'newest' }, 0))
  })

  test('includes messages accepted since the join, to the millisecond, whenever the stream took them', () => {
    const hasMessage = (room: string, acceptedAtMS: number) =>
      concerns(
        { to: { app, room }, event: 'chat message', acceptedAtMS } as IncomingEvent,
        { stream: 'PARLEY_EVENTS', seq: 1, takenAtMS: nowMS },
        reader,
      )
    const joinedAtMS = nowMS - 20_000
    assert.deepEqual(
      [joinedAtMS, joinedAtMS + 1].map((atMS) => hasMessage('new', atMS)),
      [false, true],
    )
    const rejoinedAtMS = nowMS + 100
    assert.deepEqual(
      [rejoinedAtMS, rejoinedAtMS + 1].map((atMS) => hasMessage('newest', atMS)),
      [false, true],
    )
  })

  test('includes nothing that was sent already', () => {
    const to = { app, room: 'old' }
    const event = { to, event: 'chat message', id: 'one' } as IncomingEvent
    const at = { stream: 'PARLEY_EVENTS', seq: 1, takenAtMS: nowMS }
    assert.ok(concerns(event, at, { ...reader, sent: new Map([['another', at]]) }))
    assert.ok(!concerns(event, at, { ...reader, sent: new Map([['one', at]]) }))
  })

  test('includes only events of the user and their rooms', () => {
    assert.ok(has({ app, user: 'bob' }, 30_000))
    assert.ok(!has({ app, user: 'alice' }, 30_000))
    assert.ok(!has({ app, room: 'another' }, 10_000))
  })

  test('includes nothing from before the user was created, even within the margin, so a reused ID reveals nothing', () => {
    const created = { ...reader, createdMS: nowMS - 60_000 }
    assert.ok(has({ app, user: 'bob' }, 60_000, created))
    assert.ok(!has({ app, user: 'bob' }, 60_001, created))
  })
})
