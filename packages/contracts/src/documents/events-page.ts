import { clientEmits, everyEmit } from '../socket/client-emits.ts'
import { serverEvents } from '../socket/server-events.ts'
import type { AsyncApiDocument } from './asyncapi.ts'
import type { JsonSchema } from './json-schema.ts'

/** Renders the document as Markdown. */
export function eventsPage({ info, channels, components }: AsyncApiDocument): string {
  const { messages } = channels.socket
  const names = { ...serverEvents, error: { to: 'user' } }
  const lines = [
    '# Socket events',
    '',
    '<!-- Written by `npm run docs:events` from packages/contracts/src/socket. -->',
    '',
    info.description,
    'Connect, emit `conf` if you want base64, emit `auth2` with the user’s token, then listen. After a reconnect, do the same and',
    'fetch missed messages with `GET /rooms/{id}/messages/v3` and `GET /me/badge`, or pass `since`:',
    '[Catch up](reference/socket.md#catch-up). Events may repeat: deduplicate them by `_id`.',
    '',
    '```js',
    "import { io } from 'socket.io-client'",
    "const socket = io('http://127.0.0.1:8080')",
    "socket.on('connect', async () => {",
    "  const { RC, RM } = await socket.emitWithAck('auth2', token, { deviceId: 'phone', clientKey: 'demo-client-key' })",
    '  if (RC !== 0) console.error(RM)',
    '})',
    "socket.on('chat message', (message) => console.log(message.sender.nickname, message.message))",
    '```',
    '',
    '## Events',
    '',
  ]
  for (const [name, event] of Object.entries(names)) {
    const message = messages[`event_${name.replaceAll(' ', '_')}`]
    if (!message) continue
    const to = event.to === 'room' ? 'to all members of the room' : 'to the user'
    const mark = 'inInterface' in event ? '' : ', extension'
    lines.push(`### \`${name}\``, '', `${message.summary} (${to}${mark}).`, '', ...schemaLines(message.payload))
    lines.push('', ...exampleLines(message.examples[0]?.payload), '')
  }
  lines.push(
    '## Emits',
    '',
    'Every emit takes an acknowledgement: `{RC, RM, result}`, or `{RC, RM, error: {code, message}}`. Any emit may',
    `return ${list(everyEmit)}; an unknown emit returns \`UNKNOWN_EVENT\`.`,
    '',
  )
  for (const [name, { errors, example }] of Object.entries(clientEmits)) {
    const message = messages[`emit_${name.replaceAll(' ', '_')}`]
    if (!message) continue
    const items = message.payload['items'] as JsonSchema[]
    lines.push(`### \`${name}\``, '', `${message.summary}. Errors: ${list(errors)}.`, '')
    for (const [i, argument] of items.entries()) lines.push(`Argument ${i + 1}:`, '', ...schemaLines(argument), '')
    const said = [name, ...(example.args as readonly unknown[])].map((value) => JSON.stringify(value)).join(', ')
    lines.push(
      '```js',
      `const answer = await socket.emitWithAck(${said})`,
      `// answer.result: ${JSON.stringify(example.ack)}`,
      '```',
      '',
    )
  }
  lines.push('## Resources', '')
  for (const [name, schema] of Object.entries(components.schemas))
    lines.push(`### ${name}`, '', ...schemaLines(schema), '')
  return lines.join('\n')
}

function list(codes: readonly string[]): string {
  return codes.map((code) => `\`${code}\``).join(', ')
}

function schemaLines(schema: JsonSchema): string[] {
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined
  if (!properties) return [`${typeOf(schema)}${noteOf(schema)}`]
  const required = new Set((schema['required'] as string[] | undefined) ?? [])
  return [
    '| field | type | |',
    '|---|---|---|',
    ...Object.entries(properties).map(([name, property]) => {
      const notes = [
        required.has(name) ? '' : 'optional',
        property['x-extension'] ? 'extension' : '',
        property['default'] === undefined ? '' : `default \`${JSON.stringify(property['default'])}\``,
        noteOf(property, ''),
      ]
      return `| \`${name}\` | ${typeOf(property)} | ${notes.filter((note) => note !== '').join('; ')} |`
    }),
  ]
}

function typeOf(schema: JsonSchema): string {
  const reference = schema['$ref']
  const named = typeof reference === 'string' ? /^#\/components\/schemas\/(.+)$/.exec(reference)?.[1] : undefined
  if (named !== undefined) return `[${named}](#${named.toLowerCase()})`
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => `\`${String(value)}\``).join(', ')
  const parts = (schema['anyOf'] ?? schema['allOf']) as JsonSchema[] | undefined
  if (parts) return parts.map(typeOf).join(' or ')
  if (schema['type'] === 'array') return `list of ${typeOf(schema['items'] as JsonSchema)}`
  if (schema['properties']) return `\`{${Object.keys(schema['properties']).join(', ')}}\``
  return typeof schema['type'] === 'string' ? schema['type'] : 'any JSON'
}

function noteOf(schema: JsonSchema, before = ': '): string {
  return typeof schema['description'] === 'string' ? `${before}${schema['description']}` : ''
}

function exampleLines(example: unknown): string[] {
  return ['```json', JSON.stringify(example, null, 2), '```']
}
