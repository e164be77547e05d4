import assert from 'node:assert/strict'
import { type Bus, connectBus } from '@parley/bus/connect'
import { publishEvent } from '@parley/bus/events/publish'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { connectResuming, type ResumingClient } from './resuming-client.ts'

const maxEvents = 1_000
/** More than the subject filters of one NATS consumer. */
const roomCount = 300

describe('a user of many rooms in a busy app', () => {
  let platform: Platform
  let node: RunningService
  let bus: Bus
  let bob: PlatformUser
  let rooms: string[]

  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    node = await platform.start('realtime', { PARLEY_REALTIME_CATCH_UP_EVENTS: String(maxEvents) })
    bus = await connectBus(platform.servers.natsUrl, 'since test')
    bob = await platform.newUser()
    rooms = []
    for (let i = 0; i < roomCount; i += 20) {
      rooms.push(...(await Promise.all(Array.from({ length: 20 }, () => platform.newRoom([bob.id])))))
    }
  })
  afterAll(async () => {
    await bus.close()
    await platform.stop()
  })

  const texts = ({ heard }: ResumingClient) =>
    heard.filter(({ event }) => event === 'chat message').map(({ payload }) => (payload as { message: string }).message)

  test('gets the missed events of all of them in order, despite traffic elsewhere', async () => {
    const witness = await connectResuming(node.url, bob.token)
    const { serverTimeMS: since } = (await witness.login({ since: 0 })).result
    const missed = Array.from({ length: 20 }, (_, i) => `${i}`)
    for (const [i, message] of missed.entries()) {
      const room = rooms[(i * 149) % roomCount]
      await platform.admin('POST', '/messages', { room, sender: bob.id, message, messageType: 'text' })
      await eventually('it has passed', () => texts(witness).includes(message))
    }
    for (let sent = 0; sent < 2 * maxEvents; sent += 100) {
      // Traffic in another room of the app, and in a room of the same ID in another app.
      const elsewhere = [
        { app: platform.app, room: 'another' },
        { app: 'another', room: String(rooms[0]) },
      ] as const
      const events = Array.from({ length: 100 }, (_, i) => ({ to: elsewhere[i % 2 === 0 ? 0 : 1], id: `${sent + i}` }))
      await Promise.all(events.map((event) => publishEvent(bus, { event: 'chat message', json: '{}', ...event })))
    }
    const client = await connectResuming(node.url, bob.token)
    assert.equal((await client.login({ since })).result.resumed, true)
    assert.deepEqual(texts(client), missed)
    for (const { socket } of [witness, client]) socket.close()
  })
})
