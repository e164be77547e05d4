import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { linesOfApp } from '@parley/chat/export/app-lines'
import type { LeftOut } from '@parley/chat/export/lines'
import type { Db } from '@parley/db/connect'
import { makeFolder } from '@parley/files/make-folder'
import { writeNewFile } from '@parley/files/new-file'
import { Command } from 'commander'
import { recordWork } from './by-command.ts'
import { interruptible } from './interruptible.ts'
import { requireApp, withDb } from './with-db.ts'

/** Reads of large collections wait for the disk. */
const timeoutMS = 120_000

export function exportCommand(): Command {
  return new Command('export')
    .description('Export an app in the format of parley import: docs/guides/their-data.md.')
    .requiredOption('--app <appID>', 'the app')
    .requiredOption('--out <place>', 'a file.ndjson, or a folder for export.ndjson')
    .addHelpText('after', '\nThe export contains the secrets of the configuration: protect it like a backup.')
    .action(({ app, out }: { app: string; out: string }) => withDb((db) => run(db, app, out), timeoutMS))
}

async function run(db: Db, app: string, out: string): Promise<void> {
  await requireApp(db, app)
  const file = out.endsWith('.ndjson') ? out : join(out, 'export.ndjson')
  await makeFolder(dirname(file))
  // An existing file may be the only copy.
  const target = await open(file, 'wx', 0o600)
  const startedMS = performance.now()
  const leftOut: LeftOut = { files: 0, messages: 0 }
  const write = (ending: AbortSignal) =>
    recordWork(db, app, 'export', {}, async (onBegin, done) => {
      await onBegin()
      let count = 0
      async function* text(): AsyncGenerator<string> {
        for await (const line of linesOfApp(db, app, leftOut)) {
          ending.throwIfAborted()
          done['lines'] = ++count
          yield `${line}\n`
        }
      }
      await pipeline(text, target.createWriteStream({ flush: true }))
      return count
    })
  const lines = await writeNewFile(file, async () => {
    try {
      return await interruptible(write)
    } finally {
      await target.close()
    }
  })
  const seconds = (performance.now() - startedMS) / 1000
  console.log(`${file}: ${lines} lines in ${seconds.toFixed(1)} s`)
  if (leftOut.files > 0) console.log(`${leftOut.files} messages had files: their lines have none`)
  if (leftOut.messages > 0) console.log(`${leftOut.messages} messages of threads whose root is gone: left out`)
}
