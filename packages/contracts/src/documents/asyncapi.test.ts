import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Parser } from '@asyncapi/parser'
import { describe, test } from 'vitest'
import { invitation } from '../resources/invitation.ts'
import { message, sentMessage } from '../resources/message.ts'
import { room } from '../resources/room.ts'
import { roomPref } from '../resources/room-pref.ts'
import { sender } from '../resources/sender.ts'
import { clientEmits } from '../socket/client-emits.ts'
import { serverEvents } from '../socket/server-events.ts'
import { asyncApiDocument } from './asyncapi.ts'
import { eventsPage } from './events-page.ts'
import { interfaceEmits, interfaceEvents, interfaceResources } from './interface-names.ts'
import { unmarkedArguments, unmarkedFields } from './test-fields.ts'

const keyOf = (name: string) => name.replaceAll(' ', '_')
/** Severities of diagnostics: 0 is an error, 1 a warning, then hints. */
const isWrong = ({ severity }: { severity: number }) => severity <= 1

describe('the AsyncAPI document', () => {
  const document = asyncApiDocument()
  const written = (name: string) => readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8')

  test('passes the official validator of AsyncAPI 3, with its examples', async () => {
    const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document))
    assert.deepEqual(
      diagnostics.filter(isWrong).map(({ code, message, path }) => `${String(code)} ${path.join('.')}: ${message}`),
      [],
    )
    assert.equal(parsed?.version(), '3.0.0')
  })

  test('the validator reports an example that does not match its schema, and a broken reference', async () => {
    const broken = structuredClone(document)
    const message = broken.channels.socket.messages['event_lastRead']
    assert.ok(message)
    message.examples = [{ payload: { roomID: 7 } }]
    message.payload = { ...message.payload, properties: { memberID: { $ref: '#/components/schemas/Nobody' } } }
    const { diagnostics } = await new Parser().parse(JSON.stringify(broken))
    assert.ok(diagnostics.some(isWrong))
  })

  test('has every event both ways', () => {
    const names = Object.values(document.channels.socket.messages).map(({ name }) => name)
    const wanted = [
      ...Object.keys(serverEvents),
      'error',
      ...Object.keys(clientEmits).flatMap((name) => [name, `${name}: acknowledgement`]),
    ]
    assert.deepEqual(names.toSorted(), wanted.toSorted())
  })

  const resources = { invitation, message, room, roomPref, sender, sentMessage }
  for (const [name, { shape }] of Object.entries(resources)) {
    const component = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    test(`has every field of ${component}`, () => {
      const properties = document.components.schemas[component]?.['properties'] ?? {}
      assert.deepEqual(Object.keys(properties).toSorted(), Object.keys(shape).toSorted())
    })
  }

  test('has no schema that only refers to itself or to a missing one', () => {
    const { schemas } = document.components
    for (const [name, schema] of Object.entries(schemas)) assert.ok(!('$ref' in schema), `${name} has its fields`)
    const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)]
    assert.deepEqual(new Set(named.map(([, name]) => name)), new Set(Object.keys(schemas)))
  })

  const { messages } = document.channels.socket
  const fields = (name: string) => unmarkedFields(messages[name]?.payload ?? {}).toSorted()

  for (const [name, named] of Object.entries(interfaceEvents)) {
    test(`the event ${name} has the fields of the interface unmarked, and all others marked`, () => {
      assert.ok(!messages[`event_${keyOf(name)}`]?.['x-extension'])
      assert.deepEqual(fields(`event_${keyOf(name)}`), named.toSorted())
    })
  }

  for (const [name, named] of Object.entries(interfaceEmits)) {
    test(`the emit ${name} has the fields of the interface unmarked, and all others marked`, () => {
      const emit = messages[`emit_${keyOf(name)}`]
      assert.ok(emit && !emit['x-extension'])
      assert.deepEqual(unmarkedArguments(emit.payload), named)
    })
  }

  test('every event, emit and acknowledgement beyond the interface is marked, with all its fields', () => {
    const theirs = new Set([
      ...Object.keys(interfaceEvents).map((name) => `event_${keyOf(name)}`),
      ...Object.keys(interfaceEmits).map((name) => `emit_${keyOf(name)}`),
    ])
    const ours = Object.keys(messages).filter((name) => !theirs.has(name))
    assert.ok(['event_error', 'emit_typing', 'ack_auth2'].every((name) => ours.includes(name)))
    for (const name of ours) {
      const message = messages[name]
      assert.equal(message?.['x-extension'], true, name)
      const inside = Array.isArray(message.payload['items'])
        ? unmarkedArguments(message.payload)
        : fields(name).filter((field) => field !== 'Message')
      assert.deepEqual(inside, [], name)
    }
  })

  test('every schema has the fields of its resource unmarked; other resources are marked', () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      assert.deepEqual(unmarkedFields(schema).toSorted(), (interfaceResources[name] ?? []).toSorted(), name)
    }
  })

  for (const [name, { payload, example }] of Object.entries(serverEvents)) {
    test(`the example of the event ${name} matches its schema`, () => assert.deepEqual(payload.parse(example), example))
  }
  for (const [name, { args, ack, example }] of Object.entries(clientEmits)) {
    test(`the examples of the emit ${name} match their schemas`, () => {
      args.parse(example.args)
      assert.deepEqual(ack.parse(example.ack), example.ack)
    })
  }

  test('the page gives the type of each field, with any JSON only where it is allowed', () => {
    const page = eventsPage(document)
    const anyJson = [...page.matchAll(/^\| `(\w+)` \| any JSON \|/gm)].map(([, name]) => name)
    assert.deepEqual(new Set(anyJson), new Set(['data', 'message']))
    assert.match(page, /^\| `lastMessage` \| \[Message\]\(#message\) \| optional \|$/m)
    assert.match(page, /^\| `by` \| string or null \|/m)
    assert.match(page, /^\| `push` \| boolean \| optional; extension; default `true` \|$/m)
  })

  test('docs/asyncapi.json and docs/events.md are up to date (npm run docs:events writes them)', () => {
    assert.deepEqual(JSON.parse(written('asyncapi.json')), JSON.parse(JSON.stringify(document)))
    assert.equal(written('events.md'), eventsPage(document))
  })
})
