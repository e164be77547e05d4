import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openPolling } from '../connections/slow-client.ts'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'
import { connectResuming, type ResumingClient } from './resuming-client.ts'

describe('a client that reads its replay slowly', () => {
  let platform: Platform
  let node: RunningService
  let bob: PlatformUser
  let room: string
  /** Always connected to another node. Every event that it received is in the stream. */
  let witness: ResumingClient

  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    // A client gets 32 KiB at once, and the node may buffer as much again.
    node = await platform.start('realtime', { PARLEY_REALTIME_MAX_BUFFERED_BYTES: '131072' })
    bob = await platform.newUser()
    room = await platform.newRoom([bob.id])
    witness = await connectResuming((await platform.start('realtime')).url, bob.token)
    await witness.login()
  })
  afterAll(async () => {
    witness.socket.close()
    await platform.stop()
  })

  const passed = (client: Pick<ResumingClient, 'heard'>, event: string, field: string) =>
    client.heard
      .filter((one) => one.event === event)
      .map(({ payload }) => (payload as Record<string, unknown>)[field])
      .map(String)
  async function pass(message: string): Promise<string> {
    const body = { room, sender: bob.id, message, messageType: 'text' }
    const id = String((await platform.admin('POST', '/messages', body))['_id'])
    await eventually('the message has passed', () => passed(witness, 'chat message', '_id').includes(id))
    return id
  }
  async function rename(name: string): Promise<void> {
    await platform.admin('PUT', `/rooms/${room}`, { name })
    await eventually('the name has passed', () => passed(witness, 'room', 'name').includes(name))
  }
  async function delivered(): Promise<number> {
    const text = await metricsOf(node)
    return Number(/^parley_events_delivered_total\{[^}]*event="chat message"[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0)
  }

  test('gets live events of the meantime once, in order', async () => {
    const { serverTimeMS: since } = (await witness.login({ since: 0 })).result
    const large = 'x'.repeat(20_000)
    const sent: string[] = []
    for (let i = 0; i < 3; i++) sent.push(await pass(large))
    const client = await openPolling(node.url)
    await client.say(`420${JSON.stringify(['auth2', bob.token, { deviceId: 'phone', since }])}`)
    await eventually('the buffers are full', async () => (await delivered()) >= 2)
    // The first name and the message fill the next read, so the second name comes after it.
    await rename('first name')
    sent.push(await pass(large))
    await rename('second name')
    await eventually('it has caught up', async () => {
      await client.take()
      return client.acknowledged.length > 0
    })
    assert.partialDeepStrictEqual(client.acknowledged, [{ RC: 0, result: { resumed: true } }])
    assert.deepEqual(passed(client, 'chat message', '_id'), sent)
    assert.deepEqual(passed(client, 'room', 'name').slice(-2), ['first name', 'second name'])
  })
})
