import assert from 'node:assert/strict'
import { AckPolicy, DeliverPolicy, jetstreamManager } from '@nats-io/jetstream'
import { headers } from '@nats-io/nats-core'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Bus, connectBus } from '../connect.ts'
import { createRefusals } from './refusals.ts'
import { ensureConsumer, ensureStream } from './stream.ts'
import { createStreamPublisher } from './stream-publisher.ts'

const hour = 3_600 * 1_000_000_000

describe('the stream of events', () => {
  let servers: Servers
  let bus: Bus
  beforeAll(async () => {
    servers = await isolatedServers()
    bus = await connectBus(servers.natsUrl, 'stream-test')
  })
  afterAll(async () => {
    await bus.close()
    await servers.stop()
  })

  const config = async () => (await (await jetstreamManager(bus.nats)).streams.info('PARLEY_EVENTS')).config

  test("grows with a service's larger settings, and never shrinks with smaller ones", async () => {
    await ensureStream(bus)
    const before = await config()
    const larger = {
      maxAgeHours: before.max_age / hour + 1,
      maxBytes: before.max_bytes + 1_048_576,
      replicas: before.num_replicas,
    }
    await ensureStream(bus, larger)
    const grown = await config()
    assert.equal(grown.max_age, larger.maxAgeHours * hour)
    assert.equal(grown.max_bytes, larger.maxBytes)
    await ensureStream(bus, { maxAgeHours: 1, maxBytes: 1_048_576, replicas: 1 })
    assert.deepEqual(await config(), grown)
  })

  test('that does not acknowledge an event, as after a full disk, is said with what to do', async () => {
    const refusals = createRefusals({ capturing: (subject) => subject })
    const { publish } = createStreamPublisher(bus.nats, refusals)
    // Takes the event as the stream would, so that NATS does not report that nobody does.
    const silent = bus.nats.subscribe('silent')
    const said = /^no acknowledgement within 3000 ms: read NATS' log; after a full disk, restart that server$/
    await assert.rejects(publish('silent', '{}', headers()), { message: said })
    silent.unsubscribe()
    assert.match(refusals.streams.get('silent')?.message ?? '', said)
  })

  test('stays unlimited once an operator has removed the limits', async () => {
    const { streams } = await jetstreamManager(bus.nats)
    const limited = await config()
    await streams.update('PARLEY_EVENTS', { max_age: 0, max_bytes: -1 })
    await ensureStream(bus)
    const unlimited = await config()
    await streams.update('PARLEY_EVENTS', { max_age: limited.max_age, max_bytes: limited.max_bytes })
    assert.equal(unlimited.max_age, 0)
    assert.equal(unlimited.max_bytes, -1)
  })

  async function asBefore(durable_name: string, filter_subjects: string[]): Promise<void> {
    await (await jetstreamManager(bus.nats)).consumers.add('PARLEY_EVENTS', {
      ...{ durable_name, filter_subjects, ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.All },
      ...{ ack_wait: 10_000_000_000, max_ack_pending: 2_000, max_deliver: -1 },
    })
  }
  const ofRooms = (...events: string[]) => events.map((event) => `parley.event.*.*.room.*.${event}`)

  test('an existing consumer gets the subjects of this release', async () => {
    const { consumers } = await jetstreamManager(bus.nats)
    await asBefore('push', ofRooms('chat%20message', 'thread%20message'))
    await ensureConsumer(bus, 'push', 'PARLEY_EVENTS', async () => undefined)
    assert.deepEqual((await consumers.info('PARLEY_EVENTS', 'push')).config.filter_subjects, ofRooms('chat%20message'))
  })
})
