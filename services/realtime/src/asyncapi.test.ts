import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { Parser } from '@asyncapi/parser'
import { clientEmits } from '@parley/contracts/socket/client-emits'
import { serverEvents } from '@parley/contracts/socket/server-events'
import { asyncApiDocument } from './asyncapi.ts'
import { eventsPage } from './events-page.ts'

/** As diagnostics have it: 0 is an error, 1 a warning, then come hints. */
const isWrong = ({ severity }: { severity: number }) => severity <= 1

suite('the AsyncAPI document', () => {
  const document = asyncApiDocument()
  const written = (name: string) => readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8')

  test('passes the official validator of AsyncAPI 3, with its examples', async () => {
    const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document))
    assert.deepEqual(
      diagnostics.filter(isWrong).map(({ code, message, path }) => `${String(code)} ${path.join('.')}: ${message}`),
      [],
    )
    assert.equal(parsed?.version(), '3.0.0')
  })

  test('the validator notices an example that is not of its schema, and a reference to nothing', async () => {
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

  for (const [name, { payload, example }] of Object.entries(serverEvents)) {
    test(`the example of the event ${name} is of its schema`, () => assert.deepEqual(payload.parse(example), example))
  }
  for (const [name, { args, ack, example }] of Object.entries(clientEmits)) {
    test(`the examples of the emit ${name} are of their schemas`, () => {
      args.parse(example.args)
      assert.deepEqual(ack.parse(example.ack), example.ack)
    })
  }

  test('docs/asyncapi.json and docs/events.md are up to date (npm run docs:events writes them)', () => {
    assert.deepEqual(JSON.parse(written('asyncapi.json')), JSON.parse(JSON.stringify(document)))
    assert.equal(written('events.md'), eventsPage(document))
  })
})
