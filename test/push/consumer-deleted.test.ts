import assert from 'node:assert/strict'
import { jetstreamManager } from '@nats-io/jetstream'
import { type Bus, connectBus } from '@parley/bus/connect'
import { durableConsumers, streamName } from '@parley/contracts/bus/streams'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

/** Long timeouts, so that slow pushes and calls on a slow machine are not retried. */
const patient = { PARLEY_PUSH_NETWORK_TIMEOUT_MS: '60000', PARLEY_PUSH_CALL_TIMEOUT_MS: '60000' }

describe('stream consumers deleted by an operator', () => {
  let platform: PushPlatform
  let hook: CallbackDouble
  let bus: Bus
  let push: RunningService
  let stats: RunningService
  let alice: string
  let bob: string
  let room: string
  const sent: string[] = []

  beforeAll(async () => {
    ;[platform, hook] = await Promise.all([startPushPlatform({ toKill: ['nats'] }), startCallback()])
    bus = await connectBus(platform.servers.natsUrl, 'operator')
    ;[push, stats] = await Promise.all([platform.startPush(patient), platform.start('stats')])
    alice = await platform.newUser()
    bob = await platform.newUser(['fcm'])
    room = await platform.newRoom([alice, bob], { webhook: hook.url })
  })
  afterAll(async () => {
    await bus.close()
    await platform.stop()
    await hook.stop()
  })

  async function send(count: number): Promise<void> {
    for (let i = 0; i < count; i++) sent.push(await platform.send(room, alice))
  }
  async function deleteConsumers(): Promise<void> {
    const { consumers } = await jetstreamManager(bus.nats)
    for (const { name } of Object.values(durableConsumers)) await consumers.delete(streamName(0), name)
  }
  /** The numbers of pushes and webhook calls of each message. */
  function counts(): Record<string, [pushes: number, calls: number]> {
    const of: Record<string, [number, number]> = Object.fromEntries(sent.map((id) => [id, [0, 0]]))
    for (const { message } of platform.fcm.pushes) (of[message.data.messageID ?? ''] ?? [0, 0])[0]++
    for (const { body } of hook.calls) {
      const { event, data } = body as { event: string; data: { _id: string } }
      if (event === 'MESSAGE') (of[data._id] ?? [0, 0])[1]++
    }
    return of
  }
  async function eachOnce(): Promise<void> {
    await eventually('each message is pushed, and is at the webhook', () =>
      Object.values(counts()).every(([pushes, calls]) => pushes > 0 && calls > 0),
    )
    assert.deepEqual(counts(), Object.fromEntries(sent.map((id) => [id, [1, 1]])))
  }
  /** Deletes pushes and calls from the database, as their expiry does after some days. */
  async function forgetWhatWasDone(): Promise<void> {
    const { db } = platform
    await eventually('nothing waits', async () => (await db.outgoingCalls.countDocuments({ state: 'waiting' })) === 0)
    for (const collection of [db.pushes, db.pushContents, db.outgoingCalls]) await collection.deleteMany({})
  }
  /** Waits until the consumers have handled everything and their positions are recorded. */
  async function positionsAreRecorded(): Promise<void> {
    const { consumers } = await jetstreamManager(bus.nats)
    for (const { name } of [durableConsumers.push, durableConsumers.webhooks, durableConsumers.stats]) {
      // A push arrives before its event is acknowledged, and the stats consumer may be behind.
      const { ack_floor } = await eventually(`${name} has handled everything`, async () => {
        const info = await consumers.info(streamName(0), name)
        return info.num_pending + info.num_ack_pending === 0 ? info : undefined
      })
      await eventually(`the position of ${name}`, async () => {
        const state = await platform.db.streamState.findOne({})
        return (state?.handledSeqs?.[name] ?? 0) >= ack_floor.stream_seq
      })
    }
  }
  const consumed = (service: RunningService, name: string) =>
    platform.metric(service, new RegExp(`^parley_events_consumed_total\\{.*consumer="${name}"`))

  test('while the services are down resume where they were: no push is repeated, and no message is missed', async () => {
    await send(5)
    await eachOnce()
    await positionsAreRecorded()
    await Promise.all([push.stop(), stats.stop()])
    await forgetWhatWasDone()
    await deleteConsumers()
    await send(3)
    ;[push, stats] = await Promise.all([platform.startPush(patient), platform.start('stats')])
    await eachOnce()
    const counted = async () => [await consumed(push, 'push'), await consumed(stats, 'stats')]
    await eventually('both have counted them', async () => (await counted()).every((count) => count >= 3))
    assert.deepEqual(await counted(), [3, 3])
  })

  test('while messages flow resume where they were', async () => {
    await forgetWhatWasDone()
    await positionsAreRecorded()
    const flowing = send(30)
    await eventually('some are pushed', () => platform.fcm.pushes.length > 12)
    await deleteConsumers()
    await flowing
    await eachOnce()
  })
})
