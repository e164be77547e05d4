import { join, relative } from 'node:path'
import { Command } from 'commander'
import { writeClientPages } from './write-pages.ts'

/** `npm run docs:client-api`: writes API pages of @parley/client. */
new Command('npm run docs:client-api --')
  .description('Writes API pages of @parley/client into .parley/client-api. Open index.html in a browser.')
  .parse()
const out = join(import.meta.dirname, '../../../.parley/client-api')
await writeClientPages(out)
console.log(relative(process.cwd(), join(out, 'index.html')))
