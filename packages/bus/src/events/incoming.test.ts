import assert from 'node:assert/strict'
import { headers } from '@nats-io/nats-core'
import { busHeaders } from '@parley/contracts/bus/headers'
import { eventSubject } from '@parley/contracts/bus/subjects'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import type { Bus } from '../connect.ts'
import { type IncomingEvent, toIncomingEvent } from './incoming.ts'
import { type OutgoingEvent, publishEvent } from './publish.ts'

/** Publishes an event on a recording bus and reads it back. */
async function passedOn(event: OutgoingEvent): Promise<IncomingEvent> {
  const sent = Promise.withResolvers<Parameters<typeof toIncomingEvent>[0]>()
  const keep = (subject: string, json: string, set: ReturnType<typeof headers>) =>
    sent.resolve({ subject, data: new TextEncoder().encode(json), headers: set })
  const bus = {
    connected: true,
    nats: {
      publish: (subject: string, json: string, { headers: set }: { headers: never }) => keep(subject, json, set),
    },
    publishToStream: async (subject: string, json: string, set: never) => keep(subject, json, set),
  }
  await publishEvent(bus as unknown as Bus, event)
  return toIncomingEvent(await sent.promise)
}

const id = fc.oneof(fc.string({ minLength: 1, unit: 'grapheme' }), fc.constantFrom('a.b', '*', '>', 'ä b', '%41'))
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const to = fc.oneof(
  fc.record({ app: id, room: id }, { noNullPrototype: true }),
  fc.record({ app: id, user: id }, { noNullPrototype: true }),
)
const attributes = fc.record({
  request: optional(fc.uuid()),
  push: optional(fc.constant(false)),
  webhook: optional(fc.constant(false)),
  exceptDevice: optional(id),
  exceptUser: optional(id),
  by: optional(id),
  message: optional(
    fc.record(
      { seq: fc.integer({ min: 1 }), thread: id, mayOvertake: fc.constant(true as const) },
      { requiredKeys: ['seq'], noNullPrototype: true },
    ),
  ),
})

describe('an event on the bus', () => {
  test('arrives as sent, with its target, name, payload and headers', async () => {
    await fc.assert(
      fc.asyncProperty(to, attributes, fc.uuid(), async (audience, given, name) => {
        const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
        const json = JSON.stringify({ room: 'r', messageID: 'm' })
        const event = { to: audience, event: 'messageDeleted' as const, json, id: name, ...said }
        const { data, ...rest } = await passedOn(event)
        assert.equal(new TextDecoder().decode(data), json)
        assert.deepEqual(rest, { to: audience, event: 'messageDeleted', id: name, ...said })
      }),
    )
  })

  test('without an ID is validated against the contract', () => {
    const subject = eventSubject({ app: 'a', room: 'r' }, 'messageDeleted')
    const read = (json: string) => toIncomingEvent({ subject, data: new TextEncoder().encode(json) })
    assert.equal(read('{"room":"r","messageID":"m"}').id, undefined)
    for (const json of ['', '{', '[]', '{"room":7,"messageID":"m"}', '{"room":"r"}'])
      assert.throws(() => read(json), json)
  })

  test('with an undecodable subject or header is an error', () => {
    const data = new TextEncoder().encode('{}')
    const named = headers()
    named.set('Nats-Msg-Id', 'x')
    assert.throws(() => toIncomingEvent({ subject: 'parley.event.0.%.room.r.room', data, headers: named }))
    for (const name of [busHeaders.exceptDevice, busHeaders.exceptUser, busHeaders.by]) {
      const set = headers()
      set.set('Nats-Msg-Id', 'x')
      set.set(name, '%')
      assert.throws(() =>
        toIncomingEvent({ subject: eventSubject({ app: 'a', room: 'r' }, 'room'), data, headers: set }),
      )
    }
  })
})
