import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from './openapi-document.ts'

/** `pnpm docs:api`: writes docs/openapi.json. */
const docs = join(import.meta.dirname, '../../../docs')
mkdirSync(docs, { recursive: true })
writeFileSync(join(docs, 'openapi.json'), `${JSON.stringify(await openApiDocument(), null, 2)}\n`)
console.log('docs/openapi.json written')
