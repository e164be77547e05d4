import { join } from 'node:path'
import { type Convertible, convertExport, convertible } from '@parley/chat/convert/convert-export'
import { Argument, Command } from 'commander'

const sayEveryMS = 2_000

/** `parley convert`: the export of another chat service becomes the file of an import. */
export function convertCommand(): Command {
  return new Command('convert')
    .description(
      'Write the export of another chat service as import.ndjson, which `parley import` reads: docs/guides/import.md.',
    )
    .addArgument(new Argument('<service>', 'the service that the export is of').choices(convertible))
    .argument('<export>', 'its unpacked folder, or its file')
    .argument('<folder>', 'the folder that import.ndjson is written to')
    .option('--files <URL>', 'where you serve the files of the export (Mattermost) or the old server (Rocket.Chat)')
    .addHelpText('after', '\nEverything that cannot be carried over is counted by its kind. It needs no database.')
    .action(run)
}

async function run(service: Convertible, from: string, to: string, { files }: { files?: string }): Promise<void> {
  let saidAtMS = performance.now()
  const { counts, lost } = await convertExport(service, { from, to, filesAt: files }, (lines) => {
    if (performance.now() < saidAtMS + sayEveryMS) return
    saidAtMS = performance.now()
    console.log(`${lines} lines written`)
  })
  console.log(`Written: ${[...counts].map(([type, count]) => `${count} ${type}`).join(', ')}`)
  if (lost.size > 0) console.log('Not carried over:')
  for (const [kind, count] of [...lost].toSorted(([, a], [, b]) => b - a))
    console.log(`${String(count).padStart(8)}  ${kind}`)
  console.log(`Now: npm run parley -- import ${join(to, 'import.ndjson')} --app <app> --dry-run`)
}
