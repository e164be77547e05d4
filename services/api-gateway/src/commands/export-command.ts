import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { linesOfApp } from '@parley/chat/export/app-lines'
import { ExportedFiles } from '@parley/chat/export/exported-files'
import type { LeftOut } from '@parley/chat/export/lines'
import type { Db } from '@parley/db/connect'
import { makeFolder } from '@parley/files/make-folder'
import { writeNewFile } from '@parley/files/new-file'
import { Command } from 'commander'
import { recordWork } from './by-command.ts'
import { openCommandStore } from './command-store.ts'
import { createProgress, interruptible } from './interruptible.ts'
import { requireApp, withDb } from './with-db.ts'

const progressMS = 2_000
/** Faults printed; further ones are only counted. */
const maxShown = 100
/** Reads of large collections wait for the disk. */
const timeoutMS = 120_000

interface Options {
  app: string
  out: string
  files?: true
}

export function exportCommand(): Command {
  return new Command('export')
    .description('Export an app in the format of parley import: docs/guides/their-data.md.')
    .requiredOption('--app <appID>', 'the app')
    .requiredOption('--out <place>', 'a file.ndjson, or a folder for export.ndjson')
    .option('--files', 'also copy the files of messages, into the folder files beside the lines')
    .addHelpText(
      'after',
      `
--files needs PARLEY_FILES_FOLDER or PARLEY_FILES_S3_BUCKET, set as for the services.
If interrupted, run it again: files that were copied are not copied again.
The export contains the secrets of the configuration: protect it like a backup.`,
    )
    .action((options: Options) => withDb((db) => run(db, options), timeoutMS))
}

async function run(db: Db, { app, out, files: withFiles }: Options): Promise<void> {
  await requireApp(db, app)
  const store = withFiles && (await openCommandStore())
  const file = out.endsWith('.ndjson') ? out : join(out, 'export.ndjson')
  const folder = dirname(file)
  await makeFolder(folder)
  // An existing file may be the only copy.
  if (await stat(file).catch(() => undefined)) throw new Error(`EEXIST: ${file} exists: name another place`)
  const startedMS = performance.now()
  const leftOut: LeftOut = { files: 0, messages: 0 }
  const show = createProgress(progressMS)
  let faults = 0
  const copiedStay = withFiles ? ', and copies only the missing files' : ''
  const write = (ending: AbortSignal) =>
    recordWork(db, app, 'export', { ...(withFiles && { withFiles }) }, async (onBegin, done) => {
      await onBegin()
      let count = 0
      const onFile = (files: number, bytes: number) => {
        ending.throwIfAborted()
        Object.assign(done, { files, bytes })
        show(() => `${files} files copied, ${count} lines written`)
      }
      const onFault = (text: string) => {
        done['faults'] = ++faults
        if (faults <= maxShown) console.log(text)
      }
      const progress = { onFile, onFault }
      const files = store ? await ExportedFiles.begin({ db, store, app, folder, progress }) : undefined
      async function* text(): AsyncGenerator<string> {
        for await (const line of linesOfApp(db, app, leftOut, files)) {
          ending.throwIfAborted()
          done['lines'] = ++count
          show(() => `${count} lines written`)
          yield `${line}\n`
        }
      }
      await writeWhole(file, text())
      return done
    })
  const {
    lines = 0,
    files = 0,
    bytes = 0,
  } = await interruptible(
    {
      stopped: () => `${file} is not written; run it again${copiedStay}`,
      atOnce: () => `${file}.part is incomplete; run it again, which replaces it${copiedStay}`,
    },
    write,
  )
  const seconds = ((performance.now() - startedMS) / 1000).toFixed(1)
  const copied = withFiles ? `, ${files} files with ${bytes} bytes` : ''
  console.log(`${file}: ${lines} lines${copied} in ${seconds} s`)
  if (leftOut.files > 0) console.log(`${leftOut.files} messages had files: their lines have none without --files`)
  if (leftOut.messages > 0) console.log(`${leftOut.messages} messages of threads whose root is gone: left out`)
  if (faults > 0) throw new Error(`${faults} files were not copied: the export has them as gone`)
}

/** Writes a new file that has its name only once it is complete. */
async function writeWhole(file: string, text: AsyncIterable<string>): Promise<void> {
  const part = `${file}.part`
  await rm(part, { force: true })
  const target = await open(part, 'wx', 0o600)
  await writeNewFile(part, async () => {
    try {
      const { ino } = await target.stat()
      await pipeline(text, target.createWriteStream({ flush: true }))
      if ((await stat(part)).ino !== ino) throw new Error(`another export is writing ${file}`)
    } finally {
      await target.close()
    }
    await rename(part, file)
  })
}
