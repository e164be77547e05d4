import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { contractFiles } from './contract-files.ts'

/** `npm run docs:client`: generates the client's types and call tables from the contract. */
new Command('npm run docs:client --')
  .description('Generates packages/client/src/generated from packages/contracts.')
  .parse()
const folder = join(import.meta.dirname, '../src/generated')
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(await contractFiles())) writeFileSync(join(folder, name), text)
