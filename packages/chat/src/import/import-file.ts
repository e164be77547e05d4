import type { ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { ImportConflict } from '@parley/db/import/imported-rooms'
import { abortImporting, endImporting } from '@parley/db/import/importing-rooms'
import { key } from '@parley/db/keys'
import { repairBadges } from '../rooms/unread/repair-badges.ts'
import { type Counts, LineChecks } from './check-lines.ts'
import { batchesOf, type CheckedFile, stampOf } from './checked-file.ts'
import { importAlone } from './import-alone.ts'
import { linesOf } from './lines-of.ts'
import { type Problem, readLine } from './read-line.ts'
import { LineWriter } from './write-lines.ts'
import { writeMembers } from './write-members.ts'

export type Step = 'checked' | 'written' | 'members' | 'verified'

export interface Watching {
  /** Called again and again: how many lines a step is through. */
  onProgress: (step: Step, lines: number) => void
  /** Each bad line. */
  onProblem: (problem: Problem) => void
}

/** How many lines are written at a time. */
const perBatch = 8_000
/** Members in one transaction. */
const perTransaction = 200

/** Reads the whole file and checks every line; changes nothing. @returns how many lines of each type it has, and the file for what follows */
export async function checkFile(
  app: string,
  path: string,
  { onProgress, onProblem }: Watching,
): Promise<{ counts: Counts; problems: number; file: CheckedFile }> {
  const file = { path, stamp: await stampOf(path) }
  const checks = new LineChecks(app)
  let [problems, done] = [0, 0]
  const say = (found: readonly Problem[]) => {
    problems += found.length
    for (const problem of found) onProblem(problem)
  }
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      const result = readLine(line)
      say('read' in result ? checks.check(line.number, result.read) : result.problems)
    }
    onProgress('checked', (done += lines.length))
  }
  // A line that cannot be read makes others that name it look wrong.
  if (problems === 0) say(checks.checkWhole())
  return { counts: checks.counts, problems, file }
}

/**
 * Imports a file that checkFile has found good: users, rooms and messages, then the members, so that nobody is in a room
 * before it is whole. It emits no events, pushes and webhooks. Broken off at any point, it is run again.
 * @throws ImportConflict when the app has something else in the place of what the file has, or another import works on it
 */
export async function importFile(db: Db, app: string, file: CheckedFile, watching: Watching): Promise<void> {
  await importAlone(db, app, async (requireAlone) => {
    try {
      await write(db, app, file, watching, requireAlone)
    } catch (error) {
      // After any other error a write may still arrive: the rooms stay closed to sends until the import is run again.
      if (error instanceof ImportConflict) await abortImporting(db, app)
      throw error
    }
  })
}

/**
 * Ends an import that failed or was killed: its rooms take sends again, with the messages that they have by then.
 * @returns how many rooms were being imported
 * @throws ImportConflict when an import works on the app
 */
export async function abortImport(db: Db, app: string): Promise<number> {
  return importAlone(db, app, () => abortImporting(db, app))
}

async function write(
  db: Db,
  app: string,
  file: CheckedFile,
  { onProgress }: Watching,
  requireAlone: () => void,
): Promise<void> {
  const writer = new LineWriter(db, app)
  let done = 0
  let writing = Promise.resolve()
  for await (const batch of batchesOf(file, perBatch)) {
    // The next lines are read while these are written.
    await writing
    requireAlone()
    onProgress('written', (done += batch.length))
    writing = writer.write(batch)
    // It is awaited in the next round.
    writing.catch(() => undefined)
  }
  await writing
  await writer.finish()
  done = 0
  for await (const batch of batchesOf(file, perTransaction, 'membership')) {
    requireAlone()
    await writeMembers(db, app, batch as ImportOf<'membership'>[], writer.rooms)
    onProgress('members', (done += batch.length))
  }
  await endImporting(
    db,
    [...writer.rooms.keys()].map((room) => key(app, room)),
  )
  // All members of a room that is new are in the file; one that has grown may have some who had left the old room by then.
  for (const [room, { there }] of writer.rooms) if (there > 0) await repairBadges(db, { app, room })
}
