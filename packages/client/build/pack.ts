import { join } from 'node:path'
import { Command } from 'commander'
import { packTo } from './stage-package.ts'

/** `npm run pack:client`: packs @parley/client as published. */
new Command('npm run pack:client --').description('Packs @parley/client, as published, into .parley.').parse()
console.log(await packTo(join(import.meta.dirname, '../../../.parley')))
