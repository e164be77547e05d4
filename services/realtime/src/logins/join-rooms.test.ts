import assert from 'node:assert/strict'
import type { NodeCommand } from '@parley/contracts/bus/control'
import { test } from 'vitest'
import type { Session, UserSocket } from '../connections/session.ts'
import { topicOf } from '../delivery/topics.ts'
import { joinRooms } from './join-rooms.ts'

test('a room joined while the rooms were read stays joined, and one left meanwhile stays left', () => {
  const roomTopic = (room: string) => topicOf({ app: 'app', room })
  const topics = new Set(['old', 'joined', 'left'].map(roomTopic))
  const left: string[] = []
  const socket = {
    get topics() {
      return [...topics].map((name) => ({ name }))
    },
    join: (name: string) => topics.add(name),
    leave(name: string) {
      if (topics.delete(name)) left.push(name)
    },
  }
  const commands: NodeCommand[] = [
    { do: 'joined', room: 'joined', users: ['alice'] },
    { do: 'joined', room: 'left', users: ['alice'] },
    { do: 'left', room: 'left', users: ['alice'] },
    { do: 'left', room: 'kept', users: ['alice'] },
    { do: 'joined', room: 'kept', users: ['alice'] },
  ]
  const session = { app: 'app', user: 'alice', commands } as unknown as Session
  joinRooms(socket as unknown as UserSocket, session, [{ room: 'left' }, { room: 'kept' }])
  assert.deepEqual(left.toSorted(), ['left', 'old'].map(roomTopic).toSorted())
  assert.deepEqual(
    [...topics].toSorted(),
    [topicOf({ app: 'app', user: 'alice' }), ...['joined', 'kept'].map(roomTopic)].toSorted(),
  )
  assert.equal(session.commands, undefined)
})
