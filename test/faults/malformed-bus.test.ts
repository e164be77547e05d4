import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { headers, type MsgHdrs } from '@nats-io/nats-core'
import { type Bus, connectBus } from '@parley/bus/connect'
import { consumerState } from '@parley/bus/stream/stream'
import { type DurableConsumer, durableConsumers, streamName } from '@parley/contracts/bus/streams'
import {
  controlSubject,
  eventSubject,
  membersChangeSubject,
  nodeSubject,
  nodesSubject,
  pushToClientsSubject,
} from '@parley/contracts/bus/subjects'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { connectClient, eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'

interface Malformed {
  what: string
  subject: string
  data?: string | Uint8Array
  headers?: MsgHdrs
}

const brokenToken = '%E0%A4%A'
const notUtf8 = new Uint8Array([0xff, 0xfe, 0x00, 0x80])
/** Neither JSON, nor JSON of the contract. */
const payloads = ['', 'no JSON', '{"_id":', 'null', '[]', '7', '"text"', '{}', '{"room":{"$ne":1},"seq":"1"}', notUtf8]

/** Malformed messages, which no consumer can read at any redelivery. */
describe('a bus message that cannot be read', () => {
  let platform: PushPlatform
  let hook: CallbackDouble
  let bus: Bus
  let services: Record<'push' | 'stats' | 'realtime' | 'other', RunningService>
  let alice: string
  let bob: string
  let room: string
  let socket: Socket
  const heard: string[] = []
  const ended: string[] = []

  beforeAll(async () => {
    ;[platform, hook] = await Promise.all([startPushPlatform(), startCallback()])
    const [push, stats, realtime, other] = await Promise.all([
      platform.startPush(),
      platform.start('stats'),
      platform.start('realtime'),
      platform.start('realtime'),
    ])
    services = { push, stats, realtime, other }
    alice = await platform.newUser()
    bob = await platform.newUser(['fcm'])
    room = await platform.newRoom([alice, bob], { webhook: `${hook.url}/${randomUUID()}` })
    socket = await connectClient(realtime.url, platform.tokenOf(alice))
    socket.on('chat message', ({ _id }: { _id: string }) => heard.push(_id))
    socket.on('disconnect', (reason) => ended.push(reason))
    bus = await connectBus(platform.servers.natsUrl, 'junk')
  })
  afterAll(async () => {
    socket.close()
    await bus.close()
    await platform.stop()
    await hook.stop()
  })

  /** Malformed messages in the stream, for the durable consumers of their subjects. */
  function captured(): Malformed[] {
    const { app } = platform
    const subjects = [
      eventSubject({ app, room }, 'chat message'),
      eventSubject({ app, room }, 'messageUpdated'),
      eventSubject({ app, room }, 'messageDeleted'),
      pushToClientsSubject(app),
      membersChangeSubject(app, room),
    ]
    const push = JSON.stringify({ id: 'x', clients: [bob], payload: { alert: 'x' } })
    const badHeader = headers()
    badHeader.set('Parley-Except-Device', '%')
    return [
      ...subjects.flatMap((subject) =>
        payloads.map((data) => ({ what: `${String(data)} on ${subject}`, subject, data })),
      ),
      {
        what: 'an app that is not a token',
        subject: `parley.event.0.${brokenToken}.room.x.chat%20message`,
        data: '{}',
      },
      {
        what: 'a room that is not a token',
        subject: `parley.event.0.x.room.${brokenToken}.chat%20message`,
        data: '{}',
      },
      { what: 'no token in a push', subject: `parley.push.0.${brokenToken}.clients`, data: push },
      {
        what: 'a header that is not a token',
        subject: eventSubject({ app, room }, 'chat message'),
        data: '{}',
        headers: badHeader,
      },
    ]
  }

  /** Malformed messages outside the stream, for current subscribers. */
  function live(): Malformed[] {
    const { app } = platform
    const { name: node } = services.realtime
    const left = JSON.stringify({ do: 'left', room, users: [alice] })
    const subjects = [
      eventSubject({ app, room }, 'typing'),
      controlSubject(app),
      nodesSubject,
      nodeSubject(node, 'poll'),
      nodeSubject(node, 'poll-gone'),
    ]
    const badPoll = headers()
    badPoll.set('Parley-Poll', 'no JSON')
    const strangePoll = headers()
    strangePoll.set('Parley-Poll', '{"id":1,"method":"DELETE"}')
    return [
      ...subjects.flatMap((subject) =>
        payloads.map((data) => ({ what: `${String(data)} on ${subject}`, subject, data })),
      ),
      {
        what: 'an event that is not a token',
        subject: eventSubject({ app, room }, 'typing').replace(/[^.]+$/, brokenToken),
      },
      { what: 'an app that is not a token', subject: `parley.control.${brokenToken}`, data: left },
      { what: 'a poll of nothing', subject: nodeSubject(node, 'poll'), headers: badPoll },
      { what: 'a strange poll', subject: nodeSubject(node, 'poll'), headers: strangePoll },
    ]
  }

  async function publish(messages: readonly Malformed[]): Promise<void> {
    for (const { subject, data = '', headers: set } of messages) {
      bus.nats.publish(subject, data, { ...(set && { headers: set }), reply: 'nobody' })
    }
    await bus.nats.flush()
  }

  /** Sends a valid message and waits until it is delivered, pushed, posted to the webhook and counted. */
  async function everythingWorks(): Promise<void> {
    const message = await platform.send(room, alice)
    await eventually('the member hears it', () => heard.includes(message))
    await eventually('the device is pushed to', () =>
      platform.fcm.pushes.some((push) => push.message.data.messageID === message),
    )
    await eventually('the webhook is called', () =>
      hook.calls.some(({ body }) => body.event === 'MESSAGE' && body.data._id === message),
    )
    await eventually('it is counted', async () => {
      const { messageCount } = await platform.admin('GET', '/admin/stats')
      return messageCount === (await findAllMessages(platform.db, {})).length
    })
    // All nodes confirm the command. Otherwise the call would wait for the timeout of a dying node.
    await platform.admin('POST', `/rooms/${room}/members`, { invitees: [await platform.newUser()] })
    assert.deepEqual(ended, [], 'the socket stayed')
  }

  const consumers = Object.keys(durableConsumers) as DurableConsumer[]
  const serviceOf = (consumer: DurableConsumer) => (consumer === 'stats' ? services.stats : services.push)
  const dropped = (consumer: DurableConsumer) =>
    platform.metric(serviceOf(consumer), new RegExp(`^parley_events_dropped_total\\{.*consumer="${consumer}"`))

  test('is logged, counted and acknowledged by every stream consumer, which then continues', async () => {
    const messages = captured()
    await publish(messages)
    for (const consumer of consumers) {
      const pattern = durableConsumers[consumer].subjects.map(
        (subject) => new RegExp(`^${subject.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`),
      )
      const given = messages.filter(({ subject }) => pattern.some((one) => one.test(subject)))
      await eventually(
        `${consumer} has dropped all ${given.length}`,
        async () => (await dropped(consumer)) === given.length,
      )
      await eventually(`${consumer} waits for nothing`, async () => {
        const { waiting, unacknowledged } = await consumerState(bus, consumer, streamName(0))
        return waiting + unacknowledged === 0
      })
    }
    await everythingWorks()
  })

  test('does not stop a node from handling events, commands, announcements and polls', async () => {
    await publish(live())
    await everythingWorks()
    const polling = await connectClient(services.other.url, platform.tokenOf(bob), { transports: ['polling'] })
    polling.close()
    const malformed = await platform.metric(services.realtime, /^parley_bus_malformed_total/)
    assert.ok(malformed >= 20, `only ${malformed} are counted`)
  })
})
