import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { configSchemaDocument } from './config-schema.ts'
import { openApiDocument } from './openapi-document.ts'

/** `npm run docs:api`: writes docs/openapi.json and docs/config.schema.json. */
new Command('npm run docs:api --')
  .description('Writes docs/openapi.json, every REST operation, and docs/config.schema.json, from the contract.')
  .parse()
const docs = join(import.meta.dirname, '../../../../docs')
for (const [name, document] of [
  ['openapi.json', await openApiDocument()],
  ['config.schema.json', configSchemaDocument()],
] as const) {
  writeFileSync(join(docs, name), `${text(JSON.parse(JSON.stringify(document)))}\n`)
  console.log(`docs/${name} written`)
}

/** JSON with a line for each operation and each component. */
function text(value: object, depth = 0): string {
  const lines = Object.entries(value).map(([key, inside]) => {
    const isOpen = depth < 2 && typeof inside === 'object' && inside !== null && !Array.isArray(inside)
    return `${JSON.stringify(key)}:${isOpen ? text(inside as object, depth + 1) : JSON.stringify(inside)}`
  })
  return `{\n${lines.join(',\n')}\n}`
}
