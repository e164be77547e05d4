import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapi, { astToString } from 'openapi-typescript'

const folder = join(import.meta.dirname, '../generated')
const document = join(import.meta.dirname, '../../../docs/openapi.json')
const types = join(folder, 'openapi.ts')

interface Contract {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: { KeyScope: { enum: string[] } } }
}

interface Operation {
  'x-scope'?: string
}

/**
 * Generates `generated/` from docs/openapi.json: the types of every operation, and its required scope, and
 * the scopes that a key can have. Called by the
 * build and `npm run check:types`. The files are not committed.
 */
export async function writeContract(): Promise<void> {
  const text = readFileSync(document, 'utf8')
  const first = `// Of docs/openapi.json ${createHash('sha256').update(text).digest('hex')}\n`
  if (existsSync(types) && readFileSync(types, 'utf8').startsWith(first)) return
  const { paths, components } = JSON.parse(text) as Contract
  const scopes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { 'x-scope': scope }]) =>
      scope === undefined ? [] : [[`${method.toUpperCase()} ${path}`, scope]],
    ),
  )
  mkdirSync(folder, { recursive: true })
  const table = JSON.stringify(Object.fromEntries(scopes), null, 2)
  const keyScopes = JSON.stringify(components.schemas.KeyScope.enum)
  writeFileSync(
    join(folder, 'scopes.ts'),
    `${first}export const scopes = ${table} as const\nexport const keyScopes = ${keyScopes} as const\n`,
  )
  writeFileSync(types, first + astToString(await openapi(text)))
}
