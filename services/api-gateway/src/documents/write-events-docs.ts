import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncApiDocument } from '@parley/contracts/documents/asyncapi'
import { eventsPage } from '@parley/contracts/documents/events-page'
import { Command } from 'commander'

/** `npm run docs:events`: writes docs/asyncapi.json and docs/events.md. */
new Command('npm run docs:events --')
  .description("Writes docs/asyncapi.json and docs/events.md, the socket's events, from the contract.")
  .parse()
const docs = join(import.meta.dirname, '../../../../docs')
const document = asyncApiDocument()
writeFileSync(join(docs, 'asyncapi.json'), `${JSON.stringify(document, null, 2)}\n`)
writeFileSync(join(docs, 'events.md'), eventsPage(document))
console.log('docs/asyncapi.json and docs/events.md written')
