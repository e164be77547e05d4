import assert from 'node:assert/strict'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import { test } from 'vitest'
import { topicOf } from '../delivery/topics.ts'
import { createFrameBatches } from './frame-batches.ts'
import type { ReplayReader } from './replay-reader.ts'

test('events of a room that the socket has left meanwhile are not sent', () => {
  const sent: string[] = []
  const topics = new Set(['left', 'kept'].map((room) => topicOf({ app: 'app', room })))
  const connection = {
    bufferedBytes: 0,
    cork: (write: () => void) => write(),
    sendPacket: (text: string) => sent.push(text),
  }
  const socket = {
    ...{ connected: true, codec: 0, connection, isIn: (topic: string) => topics.has(topic) },
    namespace: { topics: { frameText: (_event: string, data: string) => data } },
  }
  const reader = { socket } as unknown as ReplayReader
  const sending = createFrameBatches(1_000)
  for (const [room, data] of [
    ['left', 'of the room that is left'],
    ['kept', 'of the room that is kept'],
  ]) {
    sending.nextEvent()
    sending.add(reader, { event: 'chat message', data, to: { app: 'app', room } } as unknown as IncomingEvent)
  }
  topics.delete(topicOf({ app: 'app', room: 'left' }))
  sending.flush()
  assert.deepEqual(sent, ['of the room that is kept'])
})

test('events read before the client chose an encoding are sent in that encoding', () => {
  const sent: string[] = []
  const connection = {
    bufferedBytes: 0,
    cork: (write: () => void) => write(),
    sendPacket: (text: string) => sent.push(text),
  }
  const socket = {
    ...{ connected: true, codec: 0, connection, isIn: () => true },
    namespace: { topics: { frameText: (event: string, data: string, codec: number) => `${event} ${data} ${codec}` } },
  }
  const reader = { socket } as unknown as ReplayReader
  const sending = createFrameBatches(1_000)
  const add = (data: string) => {
    sending.nextEvent()
    sending.add(reader, { event: 'room', data, to: { app: 'app', room: 'room' } } as unknown as IncomingEvent)
  }
  add('before')
  socket.codec = 1
  add('after')
  sending.flush()
  assert.deepEqual(sent, ['room before 1', 'room after 1'])
})
