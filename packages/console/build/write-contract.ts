import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapi, { astToString } from 'openapi-typescript'

const folder = join(import.meta.dirname, '../generated')
const docs = join(import.meta.dirname, '../../../docs')
const types = join(folder, 'openapi.ts')

interface Contract {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: { KeyScope: { enum: string[] } } }
}

interface Operation {
  'x-scope'?: string
  'x-scopes-by-kind'?: Record<string, string[]>
}

/**
 * Generates `generated/`. From docs/openapi.json: the types of every operation, its required scope or scopes by kind, and
 * the scopes that a key can have. From docs/config.schema.json: the schemas of configuration keys. Called by the build and `npm run check:types`. The files are not committed.
 */
export async function writeContract(): Promise<void> {
  const text = readFileSync(join(docs, 'openapi.json'), 'utf8')
  const config = readFileSync(join(docs, 'config.schema.json'), 'utf8')
  const first = `// Of docs/openapi.json and docs/config.schema.json ${createHash('sha256').update(text).update(config).digest('hex')}\n`
  if (existsSync(types) && readFileSync(types, 'utf8').startsWith(first)) return
  const { paths, components } = JSON.parse(text) as Contract
  const table = (name: 'x-scope' | 'x-scopes-by-kind') =>
    Object.fromEntries(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, { [name]: needed }]) =>
          needed === undefined ? [] : [[`${method.toUpperCase()} ${path}`, needed]],
        ),
      ),
    )
  const written = {
    scopes: table('x-scope'),
    scopesByKind: table('x-scopes-by-kind'),
    keyScopes: components.schemas.KeyScope.enum,
  }
  mkdirSync(folder, { recursive: true })
  const lines = Object.entries(written).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value, null, 2)} as const\n`,
  )
  writeFileSync(join(folder, 'scopes.ts'), first + lines.join(''))
  const { properties } = JSON.parse(config) as { properties: object }
  const schemas = `export const configSchemas: Record<string, object> = ${JSON.stringify(properties)}\n`
  writeFileSync(join(folder, 'config-schemas.ts'), first + schemas)
  writeFileSync(types, first + astToString(await openapi(text)))
}
