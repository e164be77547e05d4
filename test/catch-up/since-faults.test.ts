import assert from 'node:assert/strict'
import { type Bus, connectBus } from '@parley/bus/connect'
import { publishEvent } from '@parley/bus/events/publish'
import { streamName } from '@parley/contracts/bus/streams'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { connectResuming, type ResumingClient } from './resuming-client.ts'

describe('auth2 with since, with an incomplete stream', () => {
  let platform: Platform
  let node: RunningService
  let bus: Bus
  let bob: PlatformUser
  let room: string
  /** Always connected. Every event that it received is in the stream. */
  let witness: ResumingClient

  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['nats'] })
    await platform.start('api-gateway')
    node = await platform.start('realtime', { PARLEY_REALTIME_MAX_BUFFERED_BYTES: '131072' })
    bus = await connectBus(platform.servers.natsUrl, 'since test')
    bob = await platform.newUser()
    room = await platform.newRoom([bob.id])
    witness = await connectResuming((await platform.start('realtime')).url, bob.token)
    await witness.login()
  })
  afterAll(async () => {
    witness.socket.close()
    await bus.close()
    await platform.stop()
  })

  /** Purges or deletes the stream by the JetStream API. */
  async function ofStream(request: 'PURGE' | 'DELETE'): Promise<void> {
    const answer = await bus.nats.request(`$JS.API.STREAM.${request}.${streamName(0)}`)
    assert.equal(answer.json<{ success?: boolean }>().success, true)
  }
  const send = async (message: string) =>
    String((await platform.admin('POST', '/messages', { room, sender: bob.id, message, messageType: 'text' }))['_id'])
  /** Sends a message and waits until it is in the stream, which is after the response. */
  async function pass(message: string): Promise<string> {
    const id = await send(message)
    await eventually('it has passed', () => ids(witness).includes(id))
    return id
  }
  const ids = ({ heard }: ResumingClient) =>
    heard.filter(({ event }) => event === 'chat message').map(({ payload }) => (payload as { _id: string })._id)
  /** Logs in on a new connection; also returns its events. */
  async function come(since: number, options: Parameters<typeof connectResuming>[2] = {}, at = node) {
    const client = await connectResuming(at.url, bob.token, options)
    const { result } = await client.login({ since })
    return { ...client, ...result }
  }
  async function comeAndGo(since: number, at = node): Promise<{ resumed: boolean; serverTimeMS: number }> {
    const { socket, resumed = false, serverTimeMS } = await come(since, {}, at)
    socket.close()
    return { resumed, serverTimeMS }
  }

  test('a replay larger than the queue limit of a client is sent as fast as the client reads it', async () => {
    const { serverTimeMS } = await comeAndGo(0)
    const sent: string[] = []
    for (let i = 0; i < 30; i++) sent.push(await pass('x'.repeat(20_000)))
    for (const transport of ['websocket', 'polling']) {
      const client = await come(serverTimeMS, { transports: [transport] })
      assert.equal(client.resumed, true, transport)
      assert.deepEqual(ids(client).slice(-sent.length), sent, transport)
      client.socket.close()
    }
  })

  test('a slow client gets each event once while one waits for an earlier message', async () => {
    const { serverTimeMS } = await comeAndGo(0)
    const to = { app: platform.app, room: await platform.newRoom([bob.id]) }
    const publish = (id: string, about: object) =>
      publishEvent(bus, { to, event: 'chat message', json: JSON.stringify({ _id: id, ...about }), id, ...about })
    await publish('early', { message: { seq: 2, mayOvertake: true } })
    const large = Array.from({ length: 12 }, (_, i) => `large ${i}`)
    await Promise.all(large.map((id) => publish(id, { text: 'x'.repeat(20_000) })))
    const client = await come(serverTimeMS, { transports: ['polling'] })
    assert.equal(client.resumed, true)
    const known = ['early', ...large]
    assert.deepEqual(
      ids(client)
        .filter((id) => known.includes(id))
        .toSorted(),
      known.toSorted(),
    )
    client.socket.close()
  })

  test('a slow client gets messages in order that the stream has out of order', async () => {
    const { serverTimeMS } = await comeAndGo(0)
    const to = { app: platform.app, room: await platform.newRoom([bob.id]) }
    const seqs = Array.from({ length: 25 }, (_, i) => i + 1)
    // The first, then each pair of the others the wrong way around.
    for (const seq of seqs.map((seq) => (seq === 1 ? 1 : seq + (seq % 2 === 0 ? 1 : -1)))) {
      const id = `${seq} of 25`
      const json = JSON.stringify({ _id: id, text: 'x'.repeat(20_000) })
      await publishEvent(bus, { to, event: 'chat message', json, id, message: { seq } })
    }
    const client = await come(serverTimeMS, { transports: ['polling'] })
    assert.equal(client.resumed, true)
    assert.deepEqual(
      ids(client).filter((id) => id.endsWith(' of 25')),
      seqs.map((seq) => `${seq} of 25`),
    )
    client.socket.close()
  })

  test('no more events are replayed than the setting allows', async () => {
    const small = await platform.start('realtime', { PARLEY_REALTIME_CATCH_UP_EVENTS: '10' })
    const { serverTimeMS } = await comeAndGo(0, small)
    for (let i = 0; i < 20; i++) await pass(`${i}`)
    const client = await come(serverTimeMS, {}, small)
    assert.equal(client.resumed, false)
    const last = await send('live')
    await eventually('live events go on', () => ids(client).includes(last))
    client.socket.close()
    assert.equal((await comeAndGo(serverTimeMS)).resumed, true, 'another node replays more')
  })

  test('nothing is resumed while NATS is away, and the same time is valid once it is back', async () => {
    const { serverTimeMS } = await comeAndGo(0)
    const before = await send('before')
    await platform.servers.nats.kill()
    const meanwhile = await send('meanwhile')
    const away = await come(serverTimeMS)
    assert.equal(away.resumed, false)
    await platform.servers.nats.restart()
    await eventually(
      'the same connection is resumed',
      async () => (await away.login({ since: serverTimeMS })).result.resumed,
    )
    await eventually('it has both', () => [before, meanwhile].every((id) => ids(away).includes(id)))
    away.socket.close()
  })

  test('purged events are not replayed, and a later client is resumed', async () => {
    const { serverTimeMS } = await comeAndGo(0)
    await pass('gone')
    await ofStream('PURGE')
    const after = await comeAndGo(serverTimeMS)
    assert.equal(after.resumed, false)
    const kept = await pass('kept')
    const client = await come(after.serverTimeMS)
    assert.equal(client.resumed, true)
    assert.ok(ids(client).includes(kept))
    client.socket.close()
  })

  test('a republished event reaches clients that connected in between, and no client twice', async () => {
    const early = await come(0)
    const event = {
      to: { app: platform.app, room },
      event: 'chat message',
      json: '{"_id":"again"}',
      id: 'again',
    } as const
    const times = ({ heard }: ResumingClient) =>
      heard.filter(({ payload }) => JSON.stringify(payload) === event.json).length
    await publishEvent(bus, event)
    await eventually('it is heard', () => times(early) === 1)
    // Purge, as if the stream had not accepted the event and its publisher retried.
    await ofStream('PURGE')
    const late = await come(0)
    await publishEvent(bus, event)
    await eventually('the late client has it', () => times(late) === 1)
    const last = await pass('last')
    await eventually('the next message', () => ids(early).includes(last))
    assert.equal(times(early), 1)
    for (const { socket } of [early, late]) socket.close()
  })

  test('a recreated stream does not replay earlier events', async () => {
    const { serverTimeMS } = await comeAndGo(0)
    await ofStream('DELETE')
    const other = await platform.start('realtime')
    const after = await comeAndGo(serverTimeMS, other)
    assert.equal(after.resumed, false)
    const kept = await pass('kept')
    const client = await come(after.serverTimeMS)
    assert.equal(client.resumed, true)
    // Earlier events are republished meanwhile.
    await eventually('the later message is replayed', () => ids(client).includes(kept))
    client.socket.close()
  })
})
