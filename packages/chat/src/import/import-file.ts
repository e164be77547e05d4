import { stat } from 'node:fs/promises'
import type { ImportLine, ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { countThere, countUpToSeq } from '@parley/db/import/imported-members'
import { countInThreads } from '@parley/db/import/imported-threads'
import { key } from '@parley/db/keys'
import { threadKey } from '@parley/db/threads/thread'
import { verifyUnread } from '@parley/db/unread/verify-unread'
import { type Counts, LineChecks } from './check-lines.ts'
import { importedMessageId } from './known-ids.ts'
import { linesOf } from './lines-of.ts'
import { type Problem, readGoodLine, readLine } from './read-line.ts'
import { LineWriter } from './write-lines.ts'
import { writeMembers } from './write-members.ts'

export type Step = 'checked' | 'written' | 'members' | 'verified'

export interface Watching {
  /** Called again and again: how many lines a step is through. */
  onProgress: (step: Step, lines: number) => void
  /** Each bad line. */
  onProblem: (problem: Problem) => void
}

/** A file, and how it was when its lines were checked. */
export interface CheckedFile {
  path: string
  stamp: string
}

/** How many lines are written at a time, and their bytes. */
const perBatch = 8_000
const bytesPerBatch = 8 * 1024 * 1024
/** Members in one transaction. */
const perTransaction = 200
const verifiedAtOnce = 4

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
 * @throws ImportConflict when the app has something else in the place of what the file has
 */
export async function importFile(db: Db, app: string, file: CheckedFile, { onProgress }: Watching): Promise<void> {
  const writer = new LineWriter(db, app)
  let done = 0
  let writing = Promise.resolve()
  for await (const batch of batchesOf(file, perBatch)) {
    // The next lines are read while these are written.
    await writing
    onProgress('written', (done += batch.length))
    writing = writer.write(batch)
    // It is awaited in the next round.
    writing.catch(() => undefined)
  }
  await writing
  await writer.finish()
  done = 0
  for await (const batch of batchesOf(file, perTransaction, 'membership')) {
    await writeMembers(db, app, batch as ImportOf<'membership'>[], writer.rooms)
    onProgress('members', (done += batch.length))
  }
}

/**
 * Compares the database with the file: every user, room, membership and message is there, the seqs of each room have no
 * hole, and each unread count is what the messages say.
 * @returns what is wrong
 */
export async function verifyImport(
  db: Db,
  app: string,
  file: CheckedFile,
  { onProgress }: Watching,
): Promise<string[]> {
  const wrong: string[] = []
  const messages = new Map<string, number>()
  const threads = new Map<string, number>()
  let done = 0
  for await (const batch of batchesOf(file, perBatch)) {
    const of = <T extends ImportLine['type']>(type: T) => batch.filter((line) => line.type === type) as ImportOf<T>[]
    for (const { _id } of of('room')) messages.set(_id, 0)
    for (const { room, threadOf } of of('message')) {
      const counted = threadOf === undefined ? messages : threads
      const place = threadOf === undefined ? room : threadKey({ app, room }, importedMessageId(app, room, threadOf))
      counted.set(place, (counted.get(place) ?? 0) + 1)
    }
    const users = of('user').map(({ _id }) => key(app, _id))
    const missing = users.length - (users.length > 0 ? await countThere(db, users) : 0)
    if (missing > 0) wrong.push(`${missing} users are missing`)
    const memberships = of('membership').map(({ room, user }) => key(app, room, user))
    wrong.push(...(await verifyMembers(db, memberships)))
    onProgress('verified', (done += batch.length))
  }
  for (const [room, count] of messages) {
    const there = await countUpToSeq(db, key(app, room), count)
    if (there !== count) wrong.push(`the room ${JSON.stringify(room)} has ${there} of its ${count} messages`)
  }
  return [...wrong, ...(await verifyThreads(db, threads))]
}

/** @param threads how many messages the file has in each, by its key */
async function verifyThreads(db: Db, threads: ReadonlyMap<string, number>): Promise<string[]> {
  const wrong: string[] = []
  const keys = [...threads.keys()]
  for (let i = 0; i < keys.length; i += perBatch) {
    const counts = await countInThreads(db, keys.slice(i, i + perBatch))
    for (const thread of keys.slice(i, i + perBatch)) {
      const [wanted = 0, there = 0] = [threads.get(thread), counts.get(thread)]
      if (there < wanted)
        wrong.push(`the thread ${thread.replaceAll('\0', ' ')} has ${there} of its ${wanted} messages`)
    }
  }
  return wrong
}

/** What is wrong with memberships, counted by several connections at a time. */
async function verifyMembers(db: Db, memberships: readonly string[]): Promise<string[]> {
  const parts = Array.from({ length: verifiedAtOnce }, (_, part) =>
    memberships.filter((_membership, i) => i % verifiedAtOnce === part),
  ).filter(({ length }) => length > 0)
  const results = await Promise.all(parts.map((part) => verifyUnread(db, part)))
  const missing = memberships.length - results.reduce((sum, { verified }) => sum + verified, 0)
  const unequal = results.flatMap(({ wrong }) => wrong)
  return [
    ...(missing > 0 ? [`${missing} memberships are missing`] : []),
    ...unequal.map(({ user, room, unread, countedUnread }) => {
      return `unread of ${JSON.stringify(user)} in ${JSON.stringify(room)} is ${unread}, counted ${countedUnread}`
    }),
  ]
}

/** The lines of a file that was checked before, some at a time. @throws Error when it has changed since */
async function* batchesOf(
  { path, stamp }: CheckedFile,
  size: number,
  only?: 'membership',
): AsyncGenerator<ImportLine[]> {
  if ((await stampOf(path)) !== stamp) throw new Error('the file has changed while it was imported')
  let batch: ImportLine[] = []
  let bytes = 0
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      if (only !== undefined && !line.bytes.includes(`"${only}"`)) continue
      const read = readGoodLine(line)
      if (only !== undefined && read.type !== only) continue
      batch.push(read)
      bytes += line.bytes.length
      if (batch.length < size && bytes < bytesPerBatch) continue
      yield batch
      batch = []
      bytes = 0
    }
  }
  if ((await stampOf(path)) !== stamp) throw new Error('the file has changed while it was imported')
  if (batch.length > 0) yield batch
}

/** Changes with the file. */
async function stampOf(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path)
  return `${ino} ${size} ${mtimeMs}`
}
