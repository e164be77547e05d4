import { z } from 'zod'
import { toErrorEnvelope } from '../envelope.ts'
import { ApiError, errorCatalogue } from '../errors.ts'
import { ours } from '../ours.ts'
import { clientEmits } from '../socket/client-emits.ts'
import { serverEvents } from '../socket/server-events.ts'
import type { JsonSchema } from './json-schema.ts'
import { markInside } from './mark-extensions.ts'

interface Message {
  name: string
  title: string
  summary: string
  payload: JsonSchema
  examples: { payload: unknown }[]
  'x-extension'?: true
}

/** An AsyncAPI 3.0 document (https://www.asyncapi.com/docs/reference/specification/v3.0.0). */
export interface AsyncApiDocument {
  asyncapi: '3.0.0'
  info: { title: string; version: string; description: string }
  defaultContentType: string
  servers: Record<string, object>
  channels: { socket: { address: string; title: string; description: string; messages: Record<string, Message> } }
  operations: Record<string, object>
  components: { schemas: Record<string, JsonSchema> }
}

const about = `Socket.IO events (protocol 5, Engine.IO 4) on namespace / and path /socket.io/.
An event's payload is its only argument. An emit's payload is the list of its arguments before the acknowledgement.
After conf with base64, event payloads are strings: base64 of the JSON shown here. Acknowledgements stay JSON.
Operations and fields marked x-extension go beyond the base interface.`

const refusalEvent = {
  summary: 'A limit closes the connection right after this event; the client may reconnect',
  example: toErrorEnvelope(new ApiError('TOO_MANY_REQUESTS', 'too many events')),
}
const refusalPayload = z.object({
  RC: z.number().int(),
  RM: z.string(),
  error: z.object({ code: z.enum(Object.keys(errorCatalogue) as [string, ...string[]]), message: z.string() }),
})

/** An event's name for keys and references, which have no spaces. */
const keyOf = (name: string) => name.replaceAll(' ', '_')
const reference = (path: string) => ({ $ref: `#/${path}` })

/** Builds the AsyncAPI document from the contracts. */
export function asyncApiDocument(): AsyncApiDocument {
  const schemas = createSchemaCollector()
  const messages: Record<string, Message> = {}
  const operations: Record<string, object> = {}
  for (const [name, event] of Object.entries(serverEvents)) {
    const mark = 'inInterface' in event ? undefined : ours
    const to = event.to === 'room' ? 'the sockets of all members of the room' : 'the user’s sockets'
    messages[`event_${keyOf(name)}`] = {
      ...describe(name, event.summary, schemas.output(event.payload), event.example),
      ...mark,
    }
    operations[`send_${keyOf(name)}`] = {
      ...operation('send', `${event.summary}. To ${to}.`, [`event_${keyOf(name)}`]),
      ...mark,
    }
  }
  messages['event_error'] = {
    ...describe('error', refusalEvent.summary, schemas.output(refusalPayload), refusalEvent.example),
    ...ours,
  }
  operations['send_error'] = { ...operation('send', `${refusalEvent.summary}.`, ['event_error']), ...ours }
  for (const name of Object.keys(clientEmits)) addEmit(name as keyof typeof clientEmits, messages, operations, schemas)
  for (const { payload, 'x-extension': isOurs } of Object.values(messages)) markInside(payload, isOurs)
  for (const schema of Object.values(schemas.named)) markInside(schema)
  return {
    asyncapi: '3.0.0',
    info: { title: 'Parley: socket events', version: '1.0.0', description: about },
    defaultContentType: 'application/json',
    servers: {
      local: {
        host: '127.0.0.1:8080',
        pathname: '/socket.io/',
        protocol: 'ws',
        description: 'Started by npm start; the stock socket.io-client connects to the base URL',
      },
    },
    channels: {
      socket: {
        address: '/socket.io/',
        title: 'A connection',
        description: 'One connection of one device of a user',
        messages,
      },
    },
    operations,
    components: { schemas: schemas.named },
  }
}

function addEmit(
  name: keyof typeof clientEmits,
  messages: Record<string, Message>,
  operations: Record<string, object>,
  schemas: SchemaCollector,
): void {
  const { summary, args, ack, example, ...more } = clientEmits[name]
  const mark = 'inInterface' in more ? undefined : ours
  const [emit, acknowledged] = [`emit_${keyOf(name)}`, `ack_${keyOf(name)}`]
  messages[emit] = { ...describe(name, summary, schemas.input(args), example.args), ...mark }
  messages[acknowledged] = acknowledgement(name, schemas.output(ack))
  const reply = {
    channel: reference('channels/socket'),
    messages: [reference(`channels/socket/messages/${acknowledged}`)],
  }
  operations[`receive_${keyOf(name)}`] = { ...operation('receive', `${summary}.`, [emit]), reply, ...mark }
}

/** Acknowledgements are an extension for every emit: the interface does not show them. */
function acknowledgement(name: keyof typeof clientEmits, result: JsonSchema): Message {
  const { errors, example } = clientEmits[name]
  const payload = {
    type: 'object',
    required: ['RC', 'RM'],
    properties: {
      RC: { type: 'integer' },
      RM: { type: 'string' },
      result,
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'string' }, message: { type: 'string' } },
      },
    },
  }
  const summary = `RC 0 with result, or the HTTP status of the error with error. Errors: ${errors.join(', ')}`
  const said = { RC: 0, RM: 'OK', result: example.ack }
  return { ...describe(`${name}: acknowledgement`, summary, payload, said), ...ours }
}

function describe(name: string, summary: string, payload: JsonSchema, example: unknown): Message {
  return { name, title: name, summary, payload, examples: [{ payload: example }] }
}

/** AsyncAPI takes the server's view: Parley `send`s events and `receive`s emits. */
function operation(action: 'send' | 'receive', summary: string, names: string[]): object {
  return {
    action,
    channel: reference('channels/socket'),
    summary,
    messages: names.map((name) => reference(`channels/socket/messages/${name}`)),
  }
}

/** Converts schemas of the contract to JSON Schemas; named ones go into the document's components, once. */
interface SchemaCollector {
  /** For values that Parley sends. */
  output(schema: z.ZodType): JsonSchema
  /** For values that Parley receives. */
  input(schema: z.ZodType): JsonSchema
  readonly named: Record<string, JsonSchema>
}

function createSchemaCollector(): SchemaCollector {
  const named: Record<string, JsonSchema> = {}

  function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // AsyncAPI's own schemas are a superset of draft 7.
    const written = z.toJSONSchema(schema, { target: 'draft-7', io, unrepresentable: 'any' })
    const text = JSON.stringify(written).replaceAll('"#/definitions/', '"#/components/schemas/')
    const {
      $schema: _,
      definitions = {},
      ...rest
    } = JSON.parse(text) as JsonSchema & { definitions?: Record<string, JsonSchema> }
    for (const [name, definition] of Object.entries(definitions)) add(name, definition)
    return rest
  }

  function add(name: string, schema: JsonSchema): void {
    // A name stands for one schema: input and output that differ need two names.
    const before = named[name]
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema)) {
      throw new Error(`${name} differs between input and output: name each form`)
    }
    named[name] = schema
  }

  return {
    output: (schema) => convert(schema, 'output'),
    input: (schema) => convert(schema, 'input'),
    named,
  }
}
