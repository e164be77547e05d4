import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { streamName } from '@parley/contracts/bus/streams'
import { capturedSubject } from '@parley/contracts/bus/subjects'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bus, connectBus } from '../connect.ts'
import { publishEvent } from '../events/publish.ts'
import { isAtMarks, openReading } from './read-stream.ts'
import { ensureStream } from './stream.ts'
import { markStream } from './stream-state.ts'

let servers: Servers
let bus: Bus
beforeAll(async () => {
  servers = await isolatedServers()
  bus = await connectBus(servers.natsUrl, 'position test')
  await ensureStream(bus)
})
afterAll(async () => {
  await bus.close()
  await servers.stop()
})

const stream = streamName(0)
const room = (n: number) => ({ app: 'app', room: `room ${n}` })

/** Positions and times of some rooms' messages since a time, up to a mark at the end. */
async function readSince(sinceMS: number): Promise<{ seq: number; atMS: number }[]> {
  const markSeq = await markStream(bus, stream, 'test')
  const subjects = [0, 1, 3].map((n) => capturedSubject(room(n)))
  const reading = await openReading(bus, new Map([[stream, subjects]]), () => ({ sinceMS }), 'test')
  const read: { seq: number; atMS: number }[] = []
  for await (const message of reading.messages(new Map([[stream, markSeq]]))) {
    if (isAtMarks(message)) break
    const { seq, info, subject } = message
    if (subject.startsWith('parley.event.')) read.push({ seq, atMS: Math.floor(info.timestampNanos / 1_000_000) })
  }
  await reading.close()
  return read
}

test('reading from a time returns everything since then, and nothing earlier', async () => {
  for (let n = 0; n < 120; n++) {
    const event = { to: room(n % 4), event: 'chat message', json: `{"n":${n}}`, id: `position ${n}` } as const
    await publishEvent(bus, event)
    // Timestamps must differ.
    await pause(2)
  }
  const whole = await readSince(0)
  expect(whole).toHaveLength(90)
  for (const { atMS } of whole.filter((_, i) => i % 9 === 0)) {
    const since = whole.filter((message) => message.atMS >= atMS)
    assert.deepEqual(await readSince(atMS), since)
  }
})
