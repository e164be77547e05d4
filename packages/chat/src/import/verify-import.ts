import { inParts } from '@parley/async/in-parts'
import type { ImportLine, ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { findFiles } from '@parley/db/files/files'
import { countClosed, countUpToSeq, countUsers } from '@parley/db/import/imported-members'
import { countInThreads } from '@parley/db/import/imported-threads'
import { key } from '@parley/db/keys'
import { threadKey } from '@parley/db/threads/thread'
import { verifyUnread } from '@parley/db/unread/verify-unread'
import type { Watching } from './check-file.ts'
import { batchesOf, type CheckedFile } from './checked-file.ts'
import type { EarlierLines } from './earlier-lines.ts'
import { importedFileId, importedMessageId } from './known-ids.ts'

const linesPerBatch = 2_000
const verifiedAtOnce = 4

/** Compares the database with the file: objects, gapless seqs and unread counts. @returns the differences */
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
  for await (const batch of batchesOf(file, linesPerBatch)) {
    const of = <T extends ImportLine['type']>(type: T) => batch.filter((line) => line.type === type) as ImportOf<T>[]
    for (const { _id } of of('room')) messages.set(_id, 0)
    for (const { room, threadOf } of of('message')) {
      const counted = threadOf === undefined ? messages : threads
      const history = threadOf === undefined ? room : threadKey({ app, room }, importedMessageId(app, room, threadOf))
      counted.set(history, (counted.get(history) ?? 0) + 1)
    }
    const users = of('user')
      .filter(({ erased }) => erased !== true)
      .map(({ _id }) => key(app, _id))
    const missing = users.length - (users.length > 0 ? await countUsers(db, users) : 0)
    if (missing > 0) wrong.push(`${missing} users are missing`)
    wrong.push(...(await verifyFiles(db, app, of('file'), file.earlier)))
    const memberships = of('membership').map(({ room, user }) => key(app, room, user))
    wrong.push(...(await verifyMembers(db, memberships)))
    onProgress('verified', (done += batch.length))
  }
  for (const [room, count] of messages) {
    const stored = await countUpToSeq(db, key(app, room), count)
    if (stored !== count) wrong.push(`the room ${JSON.stringify(room)} has ${stored} of its ${count} messages`)
  }
  return [...wrong, ...(await verifyThreads(db, threads))]
}

/** Finds files that are not stored, except those that were deleted since an earlier import. */
async function verifyFiles(
  db: Db,
  app: string,
  files: readonly ImportOf<'file'>[],
  earlier: EarlierLines,
): Promise<string[]> {
  const wanted = files.filter(({ status }) => status !== 'gone')
  const idOf = ({ _id }: ImportOf<'file'>) => importedFileId(app, _id)
  const existing = new Map((await findFiles(db, app, wanted.map(idOf), { hold: false })).map((file) => [file.id, file]))
  const missing = wanted.filter((file) => {
    const found = existing.get(idOf(file))
    return found ? found.stored === undefined : !earlier.has(file)
  })
  return missing.length > 0 ? [`${missing.length} files are not in the file store`] : []
}

/** @param threads number of the file's messages in each thread, by key */
async function verifyThreads(db: Db, threads: ReadonlyMap<string, number>): Promise<string[]> {
  const wrong: string[] = []
  for (const keys of inParts([...threads.keys()], linesPerBatch)) {
    const counts = await countInThreads(db, keys)
    for (const thread of keys) {
      const [wanted = 0, stored = 0] = [threads.get(thread), counts.get(thread)]
      if (stored < wanted)
        wrong.push(`the thread ${thread.replaceAll('\0', ' ')} has ${stored} of its ${wanted} messages`)
    }
  }
  return wrong
}

async function verifyMembers(db: Db, memberships: readonly string[]): Promise<string[]> {
  const parts = Array.from({ length: verifiedAtOnce }, (_, part) =>
    memberships.filter((_membership, i) => i % verifiedAtOnce === part),
  ).filter(({ length }) => length > 0)
  const results = await Promise.all(parts.map((part) => verifyUnread(db, part)))
  const absent = memberships.length - results.reduce((sum, { verified }) => sum + verified, 0)
  const missing = absent - (absent > 0 ? await countClosed(db, memberships) : 0)
  const unequal = results.flatMap(({ wrong }) => wrong)
  return [
    ...(missing > 0 ? [`${missing} memberships are missing`] : []),
    ...unequal.map(({ user, room, unread, countedUnread }) => {
      return `unread of ${JSON.stringify(user)} in ${JSON.stringify(room)} is ${unread}, counted ${countedUnread}`
    }),
  ]
}
