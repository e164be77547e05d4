import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { type ApiDocument, fillPage } from './blocks.ts'

const docs = join(import.meta.dirname, '../../../docs')
const reference = join(docs, 'reference')

/** `npm run docs:reference`: fills the generated blocks of docs/reference from docs/openapi.json, and generates the client's calls. */
new Command('npm run docs:reference --')
  .description('Fills the tables of docs/reference from docs/openapi.json. Run npm run docs:api first.')
  .parse()
const document: ApiDocument = JSON.parse(readFileSync(join(docs, 'openapi.json'), 'utf8'))
for (const name of readdirSync(reference)) {
  const file = join(reference, name)
  writeFileSync(file, fillPage(readFileSync(file, 'utf8'), document).page)
}
execFileSync('npm', ['run', '-s', 'docs:client'], { stdio: 'inherit' })
