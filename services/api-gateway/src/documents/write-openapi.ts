import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { openApiDocument } from './openapi-document.ts'

/** `npm run docs:api`: writes docs/openapi.json. */
new Command('npm run docs:api --')
  .description('Writes docs/openapi.json, every REST operation, from the contract.')
  .parse()
const file = join(import.meta.dirname, '../../../../docs/openapi.json')
writeFileSync(file, `${text(JSON.parse(JSON.stringify(await openApiDocument())))}\n`)
console.log('docs/openapi.json written')

/** JSON with a line for each operation and each component. */
function text(value: object, depth = 0): string {
  const lines = Object.entries(value).map(([key, inside]) => {
    const isOpen = depth < 2 && typeof inside === 'object' && inside !== null && !Array.isArray(inside)
    return `${JSON.stringify(key)}:${isOpen ? text(inside as object, depth + 1) : JSON.stringify(inside)}`
  })
  return `{\n${lines.join(',\n')}\n}`
}
