import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import type { HoldDoc } from '@parley/db/holds/documents'
import { coverOf } from '@parley/db/holds/holds'
import { saveImportedHolds, saveImportedReports } from '@parley/db/import/imported-cases'
import { key } from '@parley/db/keys'
import type { ReportDoc } from '@parley/db/moderation/documents'
import { keptMS } from '@parley/db/moderation/reports'
import { contentOf } from '../messages/draft.ts'
import { importedMessageId } from './known-ids.ts'

/** Writes legal holds; existing ones stay. */
export async function writeHolds(db: Db, app: string, lines: readonly ImportOf<'hold'>[]): Promise<void> {
  await saveImportedHolds(
    db,
    lines.map((line) => toHold(app, line)),
  )
}

/** Writes reports; existing ones stay. Skips those whose time to be kept has passed. */
export async function writeReports(db: Db, app: string, lines: readonly ImportOf<'report'>[]): Promise<void> {
  const reports = lines.map((line) => toReport(app, line))
  await saveImportedReports(
    db,
    reports.filter(({ expiresAt }) => expiresAt.getTime() > clock.now()),
  )
}

function toHold(app: string, { _id: id, user = '', room, reason, createdAt, owed }: ImportOf<'hold'>): HoldDoc {
  const of = room === undefined ? { user } : { room }
  return {
    ...{ _id: key(app, id), app, id, ...of, covers: coverOf(app, of), reason, createdAtMS: createdAt },
    ...(owed && { owed: owed.map(({ upTo: upToMS, ...one }) => ({ ...one, upToMS })) }),
  }
}

function toReport(app: string, line: ImportOf<'report'>): ReportDoc {
  const { _id: id, room, sender, threadOf, content, decision, decidedAt: decidedAtMS, reporters, count } = line
  const { messageType, messageTime: messageTimeMS, createdAt: createdAtMS, updatedAt: updatedAtMS } = line
  const message = importedMessageId(app, room, line.message)
  return {
    ...{ _id: key(app, message), app, id, message, room, roomKey: key(app, room), sender, senderKey: key(app, sender) },
    ...{ messageType, messageTimeMS, count, createdAtMS, updatedAtMS, status: decision ? 'decided' : 'open' },
    ...defined({ decision, decidedAtMS }),
    ...(threadOf !== undefined && { threadOf: importedMessageId(app, room, threadOf) }),
    ...(content !== undefined && { content: contentOf(content) }),
    reporters: reporters.map(({ client, reason, at: atMS }) => ({ client, userKey: key(app, client), reason, atMS })),
    expiresAt: new Date(Math.max(updatedAtMS, decidedAtMS ?? 0) + keptMS),
  }
}
