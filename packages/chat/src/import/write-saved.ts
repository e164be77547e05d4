import { clock } from '@parley/async/clock'
import type { ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { inTransactionWhenBusy } from '@parley/db/import/retry-busy'
import { key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import type { SavedMessageDoc } from '@parley/db/messages/documents'
import { insertSaved } from '@parley/db/messages/saved-messages'
import { lockUser } from '@parley/db/users/lock-user'
import { importedMessageId } from './known-ids.ts'

export type SavedLine = ImportOf<'bookmark' | 'reminder'>

/**
 * Writes bookmarks and reminders; existing ones stay. Skips reminders whose time has passed, since a repeated import
 * cannot tell whether they were sent.
 */
export async function writeSaved(db: Db, app: string, lines: readonly SavedLine[]): Promise<void> {
  const nowMS = clock.now()
  const due = lines.filter((line) => line.type === 'bookmark' || line.remindAt > nowMS)
  const ids = due.map(({ room, message }) => importedMessageId(app, room, message))
  const found = await findMessages(db, [...new Set(ids)])
  const threads = new Map(found.map(({ _id, threadOf }) => [_id, threadOf]))
  const toSaved = ({ user, room, message: id, createdAt = nowMS, ...line }: SavedLine): SavedMessageDoc[] => {
    const message = importedMessageId(app, room, id)
    if (!threads.has(message)) return []
    const [_id, userKey, threadOf] = [key(app, user, message), key(app, user), threads.get(message)]
    const when = line.type === 'reminder' ? { atMS: line.remindAt, nextMS: line.remindAt } : { atMS: createdAt }
    const inThread = threadOf !== undefined && { threadOf }
    return [{ _id, app, user, userKey, message, room, ...inThread, ...when, createdAtMS: createdAt }]
  }
  for (const [user, ofUser] of Map.groupBy(due, (line) => line.user)) {
    await inTransactionWhenBusy(db, async (session) => {
      // Locked, so that an erasure finds them.
      if (!(await lockUser(db, app, user, session))) return
      for (const [type, ofType] of Map.groupBy(ofUser, (line) => line.type)) {
        await insertSaved(db, `${type}s`, ofType.flatMap(toSaved), session)
      }
    })
  }
}
