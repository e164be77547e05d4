import type { ImportLine, ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { measureClock } from '@parley/db/measure-clock'
import { findPrefNames } from '@parley/db/users/prefs'
import { type Counts, LineChecks } from './check-lines.ts'
import { type CheckedFile, stampOf } from './checked-file.ts'
import { faultsOfAttachments } from './import-attachments.ts'
import { linesOf } from './lines-of.ts'
import { type Problem, readLine } from './read-line.ts'
import { sortLines } from './sort-lines.ts'

export type Step = 'checked' | 'written' | 'members' | 'verified'

export interface Watching {
  /** Called repeatedly with the number of lines that a step has finished. */
  onProgress: (step: Step, lines: number) => void
  /** Called for each problem. */
  onProblem: (problem: Problem) => void
}

interface Checked {
  counts: Counts
  problems: Problem[]
  file: CheckedFile
  isUnordered: boolean
}

/**
 * Reads the whole file and checks every line, without changing anything. Lines that are out of order are sorted first.
 * @returns the number of good lines by type, the numbers of problems and of refused lines, and the file for importFile
 */
export async function checkFile(
  db: Db,
  app: string,
  path: string,
  watching: Watching,
): Promise<{ counts: Counts; problems: number; refused: number; file: CheckedFile }> {
  // The command has just connected, so its clock has not been corrected yet.
  await measureClock(db.mongo)
  const asItIs = await check(db, app, { path }, watching)
  const { counts, file, problems } = asItIs.isUnordered ? await checkSorted(db, app, path, watching) : asItIs
  for (const problem of problems.toSorted((a, b) => a.line - b.line)) watching.onProblem(problem)
  const refused = new Set(problems.map(({ line, index }) => `${line} ${index}`)).size
  return { counts, file, refused, problems: problems.length }
}

async function checkSorted(db: Db, app: string, path: string, watching: Watching): Promise<Checked> {
  const { problems, ...sorted } = await sortLines(path)
  const checked = await check(db, app, sorted, watching)
  return { ...checked, problems: [...problems, ...checked.problems] }
}

async function check(
  db: Db,
  app: string,
  source: Pick<CheckedFile, 'path' | 'numbers'>,
  { onProgress }: Watching,
): Promise<Checked> {
  const stamp = await stampOf(source.path)
  const checks = new LineChecks(app)
  const problems: Problem[] = []
  let done = 0
  for await (const lines of linesOf(source.path, source)) {
    const results = lines.map((line) => ({ line, result: readLine(line) }))
    const read = results.flatMap(({ result }) => ('read' in result ? result.read : []))
    const faults = await faultsOfAttachments(db, app, ofType(read, 'message'))
    const users = new Set(ofType(read, 'pref').map(({ user }) => user))
    const unchecked = [...users].filter((user) => !checks.prefs.has(user))
    const prefs = await findPrefNames(db, app, unchecked)
    for (const [user, names] of prefs) checks.prefs.set(user, names)
    for (const { line, result } of results) {
      const problemsOfLine =
        'read' in result ? checks.check(line, result.read, faults.get(result.read)) : result.problems
      problems.push(...problemsOfLine)
    }
    onProgress('checked', (done += lines.length))
  }
  problems.push(...checks.checkWhole())
  const { counts, refusedRooms, isUnordered } = checks
  const refused = new Set(problems.map(({ index }) => index))
  return { counts, problems, file: { ...source, stamp, refused, refusedRooms }, isUnordered }
}

function ofType<T extends ImportLine['type']>(lines: readonly ImportLine[], type: T): ImportOf<T>[] {
  return lines.filter((line): line is ImportOf<T> => line.type === type)
}
