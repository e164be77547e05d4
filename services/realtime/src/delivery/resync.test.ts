import assert from 'node:assert/strict'
import type { NodeCommand } from '@parley/contracts/bus/control'
import { describe, test } from 'vitest'
import { newSocketData, type Session, type UserSocket } from '../connections/session.ts'
import { joinRooms } from '../logins/join-rooms.ts'
import { applyCommand } from '../nodes/node-commands.ts'
import { createDeliveryQueue } from './delivery-queue.ts'
import { createResync, type ResyncParts, rereadRooms } from './resync.ts'
import { topicOf } from './topics.ts'

describe('rooms read again after the bus was away', () => {
  const user = { app: 'app', user: 'alice' }

  function socketOf(session: Session): UserSocket {
    const topics = new Set<{ name: string }>()
    const leave = (name: string) => {
      for (const topic of topics) if (topic.name === name) topics.delete(topic)
    }
    const join = (name: string) => topics.add({ name })
    return { data: { ...newSocketData(), session }, topics, join, leave } as unknown as UserSocket
  }
  const roomsOf = (socket: UserSocket) => [...(socket.topics ?? [])].map(({ name }) => name)
  const topics = (...rooms: string[]) => [topicOf(user), ...rooms.map((room) => topicOf({ app: 'app', room }))]
  const roomOf = (room: string) => ({ room, joinedAtMS: 0 })

  test('do not replace those of a socket that authenticates again: node commands meanwhile apply', async () => {
    const session = { ...user, isReady: true, commands: [] } as unknown as Session
    const socket = socketOf(session)
    // The login has read the rooms and waits for its turn.
    const readByLogin = [roomOf('left'), roomOf('kept')]
    let arrivals = 0
    const orderArrives = () => {
      if (arrivals++ > 0) return
      const command: NodeCommand = { do: 'left', room: 'left', users: ['alice'] }
      session.commands?.push(command)
      applyCommand(socket, session, command)
    }
    const roomsOfUser = async () => {
      orderArrives()
      return [roomOf('kept')]
    }
    await rereadRooms({ roomsOfUser }, [{ socket, session }], 0)
    orderArrives()
    joinRooms(socket, session, readByLogin)
    assert.deepEqual(roomsOf(socket), topics('kept'))
  })

  test('apply to all other sockets of the user', async () => {
    const session = { ...user, isReady: true } as unknown as Session
    const socket = socketOf(session)
    await rereadRooms({ roomsOfUser: async () => [roomOf('kept')] }, [{ socket, session }], 0)
    assert.deepEqual(roomsOf(socket), topics('kept'))
    assert.equal(session.commands, undefined)
  })
})

test('no live event goes out while attempts to read the rooms again fail', async () => {
  const delivered: unknown[] = []
  const queue = createDeliveryQueue(({ id }) => delivered.push(id))
  const event = { to: { app: 'app', room: 'left' }, event: 'room', id: 'later', data: new Uint8Array() } as const
  const flush = () => Promise.reject(new Error('NATS is away'))
  const resync = createResync({ queue, bus: { nats: { flush } } } as unknown as ResyncParts)
  for (let attempt = 0; attempt < 2; attempt++) {
    const outcome = resync(0)
    queue.add(event)
    await assert.rejects(outcome)
    queue.add(event)
    queue.drain()
  }
  assert.deepEqual([queue.isHeld, delivered], [true, []])
  queue.drop()
  queue.release()
  assert.deepEqual(delivered, [])
})
