import { dirname } from 'node:path'
import type { ImportLine, ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { measureClock } from '@parley/db/server/measure-clock'
import { findPrefNames } from '@parley/db/users/prefs'
import { findUsersAndGroups } from '@parley/db/users/users'
import { LineChecks } from './check-lines.ts'
import { batchesOf, type CheckedFile, stampOf } from './checked-file.ts'
import { EarlierLines } from './earlier-lines.ts'
import { bytesOf, FileFault, hasBytes } from './file-bytes.ts'
import { findUploads } from './import-attachments.ts'
import { linesOf } from './lines-of.ts'
import { type Problem, readLine } from './read-line.ts'
import { sortLines } from './sort-lines.ts'

export type Step = 'checked' | 'files' | 'written' | 'members' | 'verified'

export interface Watching {
  /** Called repeatedly with the number of lines that a step has finished. */
  onProgress: (step: Step, lines: number) => void
  onProblem: (problem: Problem) => void
}

const linesPerBatch = 1_000

interface Checked {
  problems: Problem[]
  file: CheckedFile
  isUnordered: boolean
}

/**
 * Reads the whole file and checks every line, without changing anything. Lines that are out of order are sorted first.
 * @returns the numbers of problems and of refused lines, and the file for importFile with its good lines by type
 */
export async function checkFile(
  db: Db,
  app: string,
  path: string,
  watching: Watching,
): Promise<{ problems: number; refused: number; file: CheckedFile }> {
  // The command has just connected, so its clock has not been corrected yet.
  await measureClock(db.mongo)
  const earlier = await EarlierLines.load(db, app)
  const source = { path, earlier, folder: dirname(path) }
  const asItIs = await check(db, app, source, watching)
  const { file, problems } = asItIs.isUnordered ? await checkSorted(db, app, source, watching) : asItIs
  for (const problem of problems.toSorted((a, b) => a.line - b.line)) watching.onProblem(problem)
  const refused = new Set(problems.map(({ line, index }) => `${line} ${index}`)).size
  return { file, refused, problems: problems.length }
}

type Source = Pick<CheckedFile, 'path' | 'numbers' | 'folder' | 'earlier'>

async function checkSorted(db: Db, app: string, source: Source, watching: Watching): Promise<Checked> {
  const { problems, ...sorted } = await sortLines(source.path)
  const checked = await check(db, app, { ...source, ...sorted }, watching)
  return { ...checked, problems: [...problems, ...checked.problems] }
}

async function check(db: Db, app: string, source: Source, { onProgress }: Watching): Promise<Checked> {
  const stamp = await stampOf(source.path)
  const checks = new LineChecks(app)
  const problems: Problem[] = []
  const erased = new Set<string>()
  let done = 0
  for await (const lines of linesOf(source.path, source)) {
    const results = lines.map((line) => ({ line, result: readLine(line) }))
    const read = results.flatMap(({ result }) => ('read' in result ? result.read : []))
    const files = new Set(ofType(read, 'file').map(({ _id }) => _id))
    const hasLine = (id: string) => files.has(id) || checks.files.has(id)
    const withFiles = [...ofType(read, 'message'), ...ofType(read, 'scheduled')].filter(
      ({ attachments }) => attachments,
    )
    const uploads = await findUploads(db, app, withFiles, hasLine)
    for (const user of await findErased(db, app, ofType(read, 'user'), source.earlier)) erased.add(user)
    const users = new Set(ofType(read, 'pref').map(({ user }) => user))
    const unchecked = [...users].filter((user) => !checks.prefs.has(user))
    const prefs = await findPrefNames(db, app, unchecked)
    for (const [user, names] of prefs) checks.prefs.set(user, names)
    for (const { line, result } of results) {
      const problemsOfLine = 'read' in result ? checks.check(line, result.read, uploads) : result.problems
      problems.push(...problemsOfLine)
    }
    onProgress('checked', (done += lines.length))
  }
  problems.push(...checks.checkWhole())
  const { counts, refusedRooms, isUnordered, files } = checks
  const refused = new Set(problems.map(({ index }) => index))
  return { problems, file: { ...source, stamp, counts, refused, refusedRooms, files, erased }, isUnordered }
}

/** The users of an earlier import that are not there any more. */
async function findErased(
  db: Db,
  app: string,
  users: readonly ImportOf<'user'>[],
  earlier: EarlierLines,
): Promise<string[]> {
  const known = users.filter((user) => user.erased !== true && earlier.has(user)).map(({ _id }) => _id)
  const existing = await findUsersAndGroups(db, app, known)
  return known.filter((user) => !existing.has(user))
}

function ofType<T extends ImportLine['type']>(lines: readonly ImportLine[], type: T): ImportOf<T>[] {
  return lines.filter((line): line is ImportOf<T> => line.type === type)
}

/**
 * Reads the files that belong to the lines, and verifies their sizes and SHA-256.
 * @param onFault called for each file that is missing or damaged
 */
export async function checkBytes(
  file: CheckedFile,
  { onProgress }: Pick<Watching, 'onProgress'>,
  onFault: (text: string) => void,
): Promise<void> {
  let done = 0
  for await (const batch of batchesOf(file, linesPerBatch, ['file'])) {
    for (const line of ofType(batch, 'file').filter(hasBytes)) {
      try {
        for await (const _chunk of bytesOf(file.folder, line)) continue
      } catch (error) {
        if (!(error instanceof FileFault)) throw error
        onFault(error.message)
      }
      onProgress('files', ++done)
    }
  }
}
