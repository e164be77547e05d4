import { mkdtemp, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Command } from 'commander'
import { packStaged, stagePackage } from './stage-package.ts'

/** `npm run pack:client`: the package as it is published. */
new Command('npm run pack:client --')
  .description('Writes the tarball of @parley/client, as it is published, into the folder .parley.')
  .parse()
const folder = await mkdtemp(join(tmpdir(), 'parley-client-'))
await stagePackage(folder)
const tarball = await packStaged(folder)
const target = join(import.meta.dirname, '../../../.parley', basename(tarball))
await rename(tarball, target)
console.log(target)
