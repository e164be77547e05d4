import { checkBytes, checkFile, type Step, type Watching } from '@parley/chat/import/check-file'
import { abortImport, importFile } from '@parley/chat/import/import-file'
import { verifyImport } from '@parley/chat/import/verify-import'
import type { Db } from '@parley/db/connect'
import { ImportConflict } from '@parley/db/import/imported-rooms'
import { Command } from 'commander'
import { recordWork } from './by-command.ts'
import { openCommandStore } from './command-store.ts'
import { createProgress, interruptible } from './interruptible.ts'
import { noApp, requireApp, withDb } from './with-db.ts'

const progressMS = 2_000
/** Problems printed; further ones are only counted. */
const maxShown = 100
/** A database command may wait for others. */
const timeoutMS = 60_000
const doing: Record<Step, string> = {
  checked: 'lines checked',
  files: 'files read',
  written: 'lines written',
  members: 'memberships written',
  verified: 'lines verified',
}

interface Options {
  app: string
  dryRun?: true
  abort?: true
}

const resume = () => 'written data stays: run it again to resume, or with --abort to give up'

/** `parley import`: imports conversations of another chat service. */
export function importCommand(): Command {
  return new Command('import')
    .description('Import users, rooms, memberships and messages into an app: docs/guides/import.md has the format.')
    .argument('[file]', 'JSON objects, one per line or otherwise separated')
    .requiredOption('--app <appID>', 'the app, which should not be in use yet')
    .option('--dry-run', 'only check the file')
    .option('--abort', 'abandon an interrupted import instead of running it again; its rooms accept messages again')
    .addHelpText(
      'after',
      `
Invalid lines are reported by number and field and skipped, files that are missing or damaged by name;
the exit code is then 1. If interrupted, run it again: existing data stays.
Files lie in the folder files beside <file>. They need PARLEY_FILES_FOLDER or PARLEY_FILES_S3_BUCKET, set as
for the services.`,
    )
    .action((file: string | undefined, { app, dryRun, abort: isAbort }: Options, command: Command) =>
      withDb((db) => {
        if (isAbort) return abort(db, app)
        if (file === undefined) command.error('error: name the file to import', { exitCode: 1 })
        const left = dryRun ? () => 'nothing was written' : resume
        const writing = { isOn: false }
        // After a conflict, the rooms accept messages again.
        const failed = (error: Error) => (writing.isOn && !(error instanceof ImportConflict) ? resume() : undefined)
        return interruptible({ stopped: left, atOnce: left, failed }, (ending) =>
          run(db, app, file, { dryRun: dryRun === true, writing, ending }),
        )
      }, timeoutMS),
    )
}

async function abort(db: Db, app: string): Promise<void> {
  await requireLasting(db, app)
  const rooms = await recordWork(db, app, 'import', { abort: true }, async (onBegin, done) => {
    done['rooms'] = await abortImport(db, app, onBegin)
    return done['rooms']
  })
  console.log(rooms === 0 ? 'No room is being imported' : `${rooms} rooms take messages again`)
}

async function requireLasting(db: Db, app: string): Promise<void> {
  if ((await requireApp(db, app)).deletingSince) throw noApp(app)
}

async function run(
  db: Db,
  app: string,
  path: string,
  { dryRun, writing, ending }: { dryRun: boolean; writing: { isOn: boolean }; ending: AbortSignal },
): Promise<void> {
  await requireLasting(db, app)
  const startedMS = performance.now()
  const watching = watch(path, ending)
  const { problems, refused: lines, file } = await checkFile(db, app, path, watching)
  const { counts } = file
  const { message } = counts
  const found = Object.entries(counts).filter(([, count]) => count > 0)
  console.log(`Good lines: ${found.map(([type, count]) => `${count} ${type}`).join(', ') || 'none'}`)
  if (problems > maxShown) console.log(`… and ${problems - maxShown} more`)
  const refused =
    lines === 0 ? undefined : new Error(`${lines} lines are refused: correct them and import the file again`)
  const faults = { count: 0 }
  const onFault = (text: string) => {
    if (faults.count++ < maxShown) console.log(text)
  }
  if (dryRun) {
    await checkBytes(file, watching, onFault)
    if (refused) throw refused
    if (faults.count > 0) throw new Error(`${faults.count} files are missing or damaged`)
    return console.log('The file can be imported')
  }
  const store = counts.file > 0 && (await openCommandStore())
  await recordWork(db, app, 'import', { ...counts, refused: lines }, async (onBegin, done) => {
    const counting: Watching = {
      ...watching,
      onProgress(step, count) {
        done[step] = count
        watching.onProgress(step, count)
      },
    }
    const onFile = (files: number, bytes: number) => {
      done['bytes'] = bytes
      counting.onProgress('files', files)
    }
    const files = store ? { store, onFile, onFault } : undefined
    const onWrite = () => {
      writing.isOn = true
      return onBegin()
    }
    await importFile(db, app, file, { ...counting, onBegin: onWrite, files })
    writing.isOn = false
    const seconds = (performance.now() - startedMS) / 1000
    console.log(`Imported in ${seconds.toFixed(1)} s: ${Math.round(message / seconds)} messages/s`)
    const wrong = await verifyImport(db, app, file, watching)
    done['wrong'] = wrong.length
    for (const each of wrong) console.log(each)
    if (faults.count > 0)
      throw new Error(`${faults.count} files are missing or damaged: put them right and import again`)
    if (wrong.length > 0) throw new Error(`${wrong.length} things are not as the file has them`)
  })
  console.log('Verified: everything is there, without a hole in a seq, and every unread count is exact')
  if (refused) throw refused
}

/** Prints the first problems, and the progress of each step. */
function watch(path: string, ending: AbortSignal): Watching {
  let shown = 0
  const progress = createProgress(progressMS)
  return {
    onProblem({ line, field, reason }) {
      if (shown++ < maxShown) console.log(`${path}:${line}: ${field === '' ? '' : `${field}: `}${reason}`)
    },
    onProgress(step, lines) {
      ending.throwIfAborted()
      progress(() => `${lines} ${doing[step]}`)
    },
  }
}
