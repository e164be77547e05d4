import { join } from 'node:path'
import { type Convertible, convertExport, convertible } from '@parley/chat/convert/convert-export'
import { Argument, Command } from 'commander'
import { createProgress, interruptible, type Left } from './interruptible.ts'

const progressMS = 2_000

export function convertCommand(): Command {
  return new Command('convert')
    .description(
      'Convert the export of another chat service to import.ndjson for `parley import`: docs/guides/import.md.',
    )
    .addArgument(new Argument('<service>', 'the service of the export').choices(convertible))
    .argument('<export>', 'the unpacked folder or file of the export')
    .argument('<folder>', 'the output folder for import.ndjson')
    .option('--files <URL>', 'where you serve the files of the export (Mattermost) or the old server (Rocket.Chat)')
    .addHelpText('after', '\nData that cannot be converted is counted by kind. Needs no database.')
    .action(run)
}

async function run(service: Convertible, from: string, to: string, { files }: { files?: string }): Promise<void> {
  const progress = createProgress(progressMS)
  const part = join(to, 'import.ndjson.part')
  const left: Left = {
    stopped: () => 'nothing is left; run it again',
    atOnce: () => `${part} is incomplete; run it again, which replaces it`,
  }
  const { counts, lost } = await interruptible(left, (ending) =>
    convertExport(service, { from, to, filesAt: files }, (lines) => {
      ending.throwIfAborted()
      progress(() => `${lines} lines written`)
    }),
  )
  console.log(`Written: ${[...counts].map(([type, count]) => `${count} ${type}`).join(', ')}`)
  if (lost.size > 0) console.log('Not converted:')
  for (const [kind, count] of [...lost].toSorted(([, a], [, b]) => b - a))
    console.log(`${String(count).padStart(8)}  ${kind}`)
  console.log(`Now: npm run parley -- import ${join(to, 'import.ndjson')} --app <app> --dry-run`)
}
