import { join } from 'node:path'
import { Command } from 'commander'
import { packTo } from './stage-package.ts'

/** `npm run pack:client`: the package as it is published. */
new Command('npm run pack:client --')
  .description('Writes the tarball of @parley/client, as it is published, into the folder .parley.')
  .parse()
console.log(await packTo(join(import.meta.dirname, '../../../.parley')))
