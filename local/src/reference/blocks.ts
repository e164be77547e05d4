import { inPlace, isPartName, withoutPartRefs } from '@parley/contracts/documents/part-names'
import { closeReasons } from '@parley/contracts/socket/close-reasons'
import { bounds, fieldTable, type Schema, typeName } from './field-table.ts'

/** The parts of docs/openapi.json that the pages show. */
export interface ApiDocument {
  paths: Record<string, Record<string, ApiOperation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, ApiResponse>
    parameters: Record<string, object>
  }
}

interface ApiOperation {
  operationId: string
  summary: string
  description?: string
  'x-extension'?: boolean
  'x-scope'?: string
  security?: Record<string, unknown>[]
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, ApiResponse>
}
export interface ApiResponse {
  $ref?: string
  description: string
  content?: Record<string, { schema: Schema }>
}

/** Error codes of every operation, which docs/reference/README.md lists once. */
export const everywhere: ReadonlySet<string> = new Set([
  'INVALID_SESSION',
  ...['TOO_MANY_REQUESTS', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'],
  ...['INVALID_BODY', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
])

/** A generated block: from `<!-- operation sendMessage -->`, `<!-- schema Message -->` or `<!-- socket closeReasons -->` to `<!-- end -->`. */
const block = /<!-- (operation|schema|socket) (\w+) -->\n[^]*?<!-- end -->/g

/** The page with its generated blocks refreshed. @throws when a block names something unknown */
export function fillPage(page: string, document: ApiDocument): { page: string; describes: string[] } {
  const describes: string[] = []
  const filled = page.replace(block, (_all, kind: string, name: string) => {
    describes.push(`${kind} ${name}`)
    const body = blockOf(document, kind, name)
    return `<!-- ${kind} ${name} -->\n${body}\n<!-- end -->`
  })
  return { page: filled, describes }
}

/** Everything that the pages must describe. */
export function documented(document: ApiDocument): string[] {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  return [
    ...operations.map(({ operationId }) => `operation ${operationId}`),
    ...Object.keys(document.components.schemas)
      .filter((name) => !isPartName(name))
      .map((name) => `schema ${name}`),
    'socket closeReasons',
  ].toSorted()
}

function blockOf(document: ApiDocument, kind: string, name: string): string {
  if (kind === 'operation') return operationBlock(document, name)
  if (kind === 'schema') return schemaBlock(document, name)
  if (name !== 'closeReasons') throw new Error(`unknown socket block: ${name}`)
  const rows = Object.entries(closeReasons).map(([reason, { why, client }]) => `| \`${reason}\` | ${why} | ${client} |`)
  return ['', '| reason | why | the client |', '|---|---|---|', ...rows, ''].join('\n')
}

function schemaBlock({ components }: ApiDocument, name: string): string {
  const schema = components.schemas[name]
  if (!schema) throw new Error(`docs/openapi.json has no schema ${name}`)
  return `\n${fieldTable(withoutPartRefs(schema, components.schemas)).join('\n')}\n`
}

/** The operations, with references to bodies, results and errors resolved. */
export function operationsOf({ paths, components }: ApiDocument): ApiOperation[] {
  const all = Object.values(paths).flatMap((methods) => Object.values(methods))
  return all.map((operation) => inPlace(operation, components))
}

function operationBlock({ paths, components }: ApiDocument, id: string): string {
  for (const [path, methods] of Object.entries(paths)) {
    const found = Object.entries(methods).find(([, { operationId }]) => operationId === id)
    // Resolving the references of every operation for each block would take a minute for all pages.
    if (found) return describe(found[0].toUpperCase(), path, inPlace(found[1], components))
  }
  throw new Error(`docs/openapi.json has no operation ${id}`)
}

function describe(method: string, path: string, operation: ApiOperation): string {
  const { summary, description, parameters = [], requestBody, responses } = operation
  const ours = operation['x-extension'] ? ' *Extension.*' : ''
  const body = requestBody && Object.values(requestBody.content)[0]?.schema
  const rows = parameters
    .filter(({ name }) => !/^IM-(API-KEY|CLIENT-KEY|Authorization)$/i.test(name))
    .map((parameter) => {
      const ofQuery = parameter.in === 'query' ? bounds(parameter.schema) : []
      const notes = [parameter.required ? '' : 'optional', ...ofQuery, parameter.description ?? '']
      return `| \`${parameter.name}\` | ${parameter.in} | ${typeName(parameter.schema)} | ${notes.filter(Boolean).join('; ')} |`
    })
  return [
    '',
    `**\`${method} ${path}\`** (${callers(operation)})${ours} ${summary}.${description ? ` ${description}` : ''}`,
    ...(rows.length > 0 ? ['', '| parameter | in | type | |', '|---|---|---|---|', ...rows] : []),
    ...(body ? ['', 'Body:', '', ...fieldTable(body)] : []),
    ...['', `Returns ${result(responses['200'])}`],
    ...['', `Errors: ${errors(responses)}.`, ''],
  ].join('\n')
}

function callers({ security = [], 'x-scope': scope }: ApiOperation): string {
  const names = security.map((scheme) => {
    if ('operatorSession' in scheme) return 'operator'
    return 'apiKey' in scheme ? `API key with \`${scope}\`` : 'user token'
  })
  return [...new Set(names)].join(' or ') || 'anyone'
}

function result(response: ApiResponse | undefined): string {
  const schema = Object.values(response?.content ?? {})[0]?.schema
  return schema ? (schema.anyOf ?? [schema]).map(oneResult).join('\n\nor ') : 'nothing.'
}

/** One of the two result forms of an operation whose mode selects the envelope. */
function oneResult(schema: Schema): string {
  const inEnvelope = schema.properties?.['result']
  const shown = inEnvelope ?? schema
  const what = inEnvelope ? '`result`' : 'without envelope'
  if (!shown.properties) return `${what}: ${typeName(shown)}.`
  return [`${what}:`, '', ...fieldTable(shown)].join('\n')
}

function errors(responses: ApiOperation['responses']): string {
  const codes = Object.entries(responses).flatMap(([status, { description }]) =>
    Number(status) < 400 ? [] : description.split(', '),
  )
  const own = [...new Set(codes)].filter((code) => !everywhere.has(code))
  return own.map((code) => `[${code}](../errors.md#${code.toLowerCase()})`).join(', ') || 'those of every operation'
}
