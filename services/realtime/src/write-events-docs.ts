import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncApiDocument } from './asyncapi.ts'
import { eventsPage } from './events-page.ts'

/** `npm run docs:events`: writes docs/asyncapi.json and docs/events.md. */
const docs = join(import.meta.dirname, '../../../docs')
const document = asyncApiDocument()
writeFileSync(join(docs, 'asyncapi.json'), `${JSON.stringify(document, null, 2)}\n`)
writeFileSync(join(docs, 'events.md'), eventsPage(document))
console.log('docs/asyncapi.json and docs/events.md written')
