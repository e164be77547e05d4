import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { contractFiles } from './contract-files.ts'

/** `npm run docs:client`: writes the types and the tables of calls that the library has from the contract. */
new Command('npm run docs:client --')
  .description('Writes packages/client/src/generated from packages/contracts.')
  .parse()
const folder = join(import.meta.dirname, '../src/generated')
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(await contractFiles())) writeFileSync(join(folder, name), text)
