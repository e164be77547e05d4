import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { openApiDocument } from './openapi-document.ts'

/** `npm run docs:api`: writes docs/openapi.json. */
new Command('npm run docs:api --')
  .description('Writes docs/openapi.json, every REST operation, from the contract.')
  .parse()
const file = join(import.meta.dirname, '../../../../docs/openapi.json')
writeFileSync(file, `${JSON.stringify(await openApiDocument(), null, 2)}\n`)
console.log('docs/openapi.json written')
