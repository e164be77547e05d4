import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapi, { astToString } from 'openapi-typescript'

const folder = join(import.meta.dirname, '../generated')
const docs = join(import.meta.dirname, '../../../docs')
const types = join(folder, 'openapi.ts')

interface Contract {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: { KeyScope: { enum: string[] } }; parameters: Record<string, Parameter> }
}

interface Operation {
  summary: string
  'x-scope'?: string
  'x-scopes-by-kind'?: Record<string, string[]>
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: { 'application/json': { example?: unknown } } }
}

interface Parameter {
  in: string
  name: string
  description?: string
  example?: string | number
}

/**
 * Generates `generated/`. From docs/openapi.json: the types of every operation, its required scope or scopes by kind, the
 * scopes that a key can have, and the parameters and example that the explorer shows. From docs/config.schema.json: the
 * schemas of configuration keys. Called by the build and `npm run check:types`. The files are not committed.
 */
export async function writeContract(): Promise<void> {
  const text = readFileSync(join(docs, 'openapi.json'), 'utf8')
  const config = readFileSync(join(docs, 'config.schema.json'), 'utf8')
  const digest = createHash('sha256')
    .update(text)
    .update(config)
    .update(readFileSync(import.meta.filename))
    .digest('hex')
  const first = `// Of docs/openapi.json and docs/config.schema.json ${digest}\n`
  if (existsSync(types) && readFileSync(types, 'utf8').startsWith(first)) return
  const contract = JSON.parse(text) as Contract
  const written = {
    scopes: byOperation(contract, (operation) => operation['x-scope']),
    scopesByKind: byOperation(contract, (operation) => operation['x-scopes-by-kind']),
    keyScopes: contract.components.schemas.KeyScope.enum,
  }
  mkdirSync(folder, { recursive: true })
  const lines = Object.entries(written).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value, null, 2)} as const\n`,
  )
  writeFileSync(join(folder, 'scopes.ts'), first + lines.join(''))
  const requests = byOperation(contract, (operation) => requestOf(operation, contract))
  writeFileSync(join(folder, 'requests.ts'), `${first}export const requests = ${JSON.stringify(requests)}\n`)
  const { properties } = JSON.parse(config) as { properties: object }
  const schemas = `export const configSchemas: Record<string, object> = ${JSON.stringify(properties)}\n`
  writeFileSync(join(folder, 'config-schemas.ts'), first + schemas)
  writeFileSync(types, first + astToString(await openapi(text)))
}

/** A table of the picked parts by operation, such as `GET /rooms/{id}`. */
function byOperation({ paths }: Contract, pick: (operation: Operation) => unknown): object {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const picked = pick(operation)
        return picked === undefined ? [] : [[`${method.toUpperCase()} ${path}`, picked]]
      }),
    ),
  )
}

/** The summary and parameters of an operation for API keys, and the example of its body. */
function requestOf(operation: Operation, { components }: Contract): object | undefined {
  const { 'x-scope': scope, 'x-scopes-by-kind': byKind, summary, parameters = [], requestBody } = operation
  if ((scope ?? byKind) === undefined) return undefined
  const named = ({ in: place, name, description, example }: Parameter) => ({ in: place, name, description, example })
  return {
    summary,
    parameters: parameters.map((each) =>
      named('$ref' in each ? (components.parameters[each.$ref.split('/').at(-1) ?? ''] as Parameter) : each),
    ),
    ...(requestBody && { body: requestBody.content['application/json'].example ?? {} }),
  }
}
