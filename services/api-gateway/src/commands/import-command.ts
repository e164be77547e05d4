import { checkFile, type Step, type Watching } from '@parley/chat/import/check-file'
import { abortImport, importFile } from '@parley/chat/import/import-file'
import { verifyImport } from '@parley/chat/import/verify-import'
import type { Db } from '@parley/db/connect'
import { Command } from 'commander'
import { recordWork } from './by-command.ts'
import { interruptible } from './interruptible.ts'
import { createProgress } from './progress.ts'
import { noApp, requireApp, withDb } from './with-db.ts'

const progressMS = 2_000
/** Problems printed; further ones are only counted. */
const mostShown = 100
/** A database command may wait for others. */
const timeoutMS = 60_000
const doing: Record<Step, string> = {
  checked: 'lines checked',
  written: 'lines written',
  members: 'memberships written',
  verified: 'lines verified',
}

interface Options {
  app: string
  dryRun?: true
  abort?: true
}

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
      '\nInvalid lines are reported by number and field and skipped; the exit code is then 1. If interrupted, run it again: existing data stays.',
    )
    .action((file: string | undefined, { app, dryRun, abort: isAbort }: Options, command: Command) =>
      withDb((db) => {
        if (isAbort) return abort(db, app)
        if (file === undefined) command.error('error: name the file to import', { exitCode: 1 })
        return interruptible((ending) => run(db, app, file, { dryRun: dryRun === true, ending }))
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
  { dryRun, ending }: { dryRun: boolean; ending: AbortSignal },
): Promise<void> {
  await requireLasting(db, app)
  const startedMS = performance.now()
  const watching = watch(path, ending)
  const { counts, problems, refused: lines, file } = await checkFile(db, app, path, watching)
  const { message } = counts
  const found = Object.entries(counts).filter(([, count]) => count > 0)
  console.log(`Good lines: ${found.map(([type, count]) => `${count} ${type}`).join(', ') || 'none'}`)
  if (problems > mostShown) console.log(`… and ${problems - mostShown} more`)
  const refused =
    lines === 0 ? undefined : new Error(`${lines} lines are refused: correct them and import the file again`)
  if (dryRun) {
    if (refused) throw refused
    return console.log('The file can be imported')
  }
  await recordWork(db, app, 'import', { ...counts, refused: lines }, async (onBegin, done) => {
    const counting: Watching = {
      ...watching,
      onProgress(step, count) {
        done[step] = count
        watching.onProgress(step, count)
      },
    }
    await importFile(db, app, file, { ...counting, onBegin })
    const seconds = (performance.now() - startedMS) / 1000
    console.log(`Imported in ${seconds.toFixed(1)} s: ${Math.round(message / seconds)} messages/s`)
    const wrong = await verifyImport(db, app, file, watching)
    done['wrong'] = wrong.length
    for (const each of wrong) console.log(each)
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
      if (shown++ < mostShown) console.log(`${path}:${line}: ${field === '' ? '' : `${field}: `}${reason}`)
    },
    onProgress(step, lines) {
      ending.throwIfAborted()
      progress(() => `${lines} ${doing[step]}`)
    },
  }
}
