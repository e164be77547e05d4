import type { Operation } from '@parley/contracts/operation'
import { allOperations } from '@parley/contracts/operations/all'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { contractDefinitions, typeName } from './contract-definitions.ts'

const banner = '// Generated from packages/contracts by `npm run docs:client`. Do not edit.\n'

/** The files of `src/generated`, by name: the contract's types without zod, and the route of each operation. */
export async function contractFiles(): Promise<Record<string, string>> {
  const schema: JSONSchema = { title: 'Contract', definitions: contractDefinitions(), type: 'object', properties: {} }
  const types = await compile(schema, 'Contract', {
    additionalProperties: false,
    bannerComment: '',
    style: { semi: false, singleQuote: true, printWidth: 120 },
    unreachableDefinitions: true,
    strictIndexSignatures: false,
  })
  const written = types
    .replace(/^export interface Contract \{\s*\}\n/m, '')
    // json-schema-to-typescript adds this note to every definition that no other one refers to.
    .replaceAll(
      /\n? \*\n \* This interface was referenced by `Contract`'s JSON-Schema\n \* via the `definition` "\w+"\./g,
      '',
    )
    .replaceAll(
      /\/\*\*\n \* This interface was referenced by `Contract`'s JSON-Schema\n \* via the `definition` "\w+"\.\n \*\/\n/g,
      '',
    )
    .replaceAll(/\/\*\*\n *\* (.*)\n *\*\//g, '/** $1 */')
  const byUsers = allOperations.filter(({ access }) => access.startsWith('client'))
  const byServers = allOperations.filter(({ access }) => ['admin', 'platform', 'client-or-admin'].includes(access))
  return {
    'types.ts': banner + written + callTypes('ClientCalls', byUsers) + callTypes('AdminCalls', byServers),
    'client-calls.ts': banner + callTable('clientCalls', byUsers),
    'admin-calls.ts': banner + callTable('adminCalls', byServers),
  }
}

/** Each operation's input (path parameters, query and body merged) and `result`. */
function callTypes(name: string, operations: readonly Operation[]): string {
  const lines = operations.map((operation) => {
    const type = typeName(operation)
    const scheduled = operation.scheduled ? '; scheduled: ScheduledMessage' : ''
    return `  /** ${operation.summary}: ${operation.method} ${operation.path} */\n  ${operation.id}: { input: ${type}Input; result: ${type}Result${scheduled} }`
  })
  return `export interface ${name} {\n${lines.join('\n')}\n}\n`
}

function callTable(name: string, operations: readonly Operation[]): string {
  const lines = operations.map(({ id, method, path, query, body }) => {
    if (query && body) throw new Error(`${id}: an operation has either a query or a body, not both`)
    return `  ${id}: '${method} ${path}${query ? '?' : ''}',`
  })
  return `export const ${name} = {\n${lines.join('\n')}\n} as const\n`
}
