import assert from 'node:assert/strict'
import type { NodeCommand } from '@parley/contracts/bus/control'
import { test } from 'vitest'
import type { Session, UserSocket } from '../connections/session.ts'
import { topicOf } from '../delivery/topics.ts'
import { joinRooms } from './join-rooms.ts'

test('a room joined while the rooms were read stays joined, and one left meanwhile stays left', () => {
  const roomTopic = (room: string) => topicOf({ app: 'app', room })
  const topics = new Set(['old', 'joined', 'left'].map(roomTopic))
  const nowMS = Date.now()
  const after = new Map<string, number | undefined>()
  const left: string[] = []
  const socket = {
    get topics() {
      return [...topics].map((name) => ({ name }))
    },
    join(name: string, afterMS?: number) {
      topics.add(name)
      after.set(name, afterMS)
    },
    leave(name: string) {
      if (topics.delete(name)) left.push(name)
    },
  }
  const commands: NodeCommand[] = [
    { do: 'joined', room: 'joined', users: ['alice'], afterMS: nowMS },
    { do: 'joined', room: 'left', users: ['alice'], afterMS: 0 },
    { do: 'left', room: 'left', users: ['alice'] },
    { do: 'left', room: 'kept', users: ['alice'] },
    { do: 'joined', room: 'kept', users: ['alice'], afterMS: nowMS + 1 },
  ]
  const session = { app: 'app', user: 'alice', commands } as unknown as Session
  const rooms = [
    { room: 'left', joinedAtMS: 0 },
    { room: 'kept', joinedAtMS: 0 },
    { room: 'old member', joinedAtMS: nowMS - 7_200_000 },
    { room: 'new member', joinedAtMS: nowMS - 60_000 },
  ]
  joinRooms(socket as unknown as UserSocket, session, rooms)
  assert.deepEqual(left.toSorted(), ['left', 'old'].map(roomTopic).toSorted())
  assert.deepEqual(
    [...topics].toSorted(),
    [
      topicOf({ app: 'app', user: 'alice' }),
      ...['joined', 'kept', 'old member', 'new member'].map(roomTopic),
    ].toSorted(),
  )
  const afterOf = (room: string) => after.get(roomTopic(room))
  assert.deepEqual(['joined', 'kept', 'old member', 'new member'].map(afterOf), [
    nowMS,
    nowMS + 1,
    undefined,
    nowMS - 60_000,
  ])
  assert.equal(session.commands, undefined)
})
