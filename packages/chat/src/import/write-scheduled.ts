import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import { insertScheduled, refusedKeptMS } from '@parley/db/messages/scheduled'
import { contentOf } from '../messages/draft.ts'
import { findAttachments } from './import-attachments.ts'
import type { KnownFiles } from './known-files.ts'
import { importedMessageId } from './known-ids.ts'

type Line = ImportOf<'scheduled'>

/** Send keys are kept for a day: until then, a repeated import sends nothing twice. */
const maxLateMS = 24 * 60 * 60 * 1_000

/** Writes scheduled messages; existing ones stay. Skips those that were due a day ago, or of erased senders. */
export async function writeScheduled(db: Db, app: string, lines: readonly Line[], files: KnownFiles): Promise<void> {
  const nowMS = clock.now()
  const attached = await findAttachments(db, app, lines, files)
  for (const line of lines) {
    const endMS = line.refused ? line.refused.at + refusedKeptMS : line.sendAt + maxLateMS
    if (endMS > nowMS)
      await insertScheduled(db, { ...toScheduled(app, line), ...defined({ attachments: attached.get(line) }) })
  }
}

function toScheduled(app: string, line: Line): ScheduledDoc {
  const { _id, room, sender, messageType, message, sendAt: sendAtMS, createdAt: createdAtMS = sendAtMS } = line
  const { mentions, clientMessageID, replyTo, expiresInS, skipTotalBadge, push, thread, byClient, refused } = line
  const id = /^[0-9a-f]{24}$/.test(_id) ? _id : importedMessageId(app, room, _id)
  return {
    ...{ _id: key(app, id), app, id, room, sender, senderKey: key(app, sender), content: contentOf(message) },
    // The send key includes the creation time, which must not differ when the import is repeated.
    ...{ messageType, push, sendAtMS, createdAtMS },
    ...defined({ mentions, clientMessageID, expiresInS }),
    ...(replyTo !== undefined && { replyTo: importedMessageId(app, room, replyTo) }),
    ...(skipTotalBadge && { skipTotalBadge }),
    ...(thread === true && { thread }),
    ...(byClient === true && { byClient }),
    ...(refused ? refusal(refused) : { nextMS: sendAtMS }),
  }
}

function refusal({
  code,
  message,
  at: atMS,
}: NonNullable<Line['refused']>): Pick<ScheduledDoc, 'refused' | 'expiresAt'> {
  return { refused: { code, message, atMS }, expiresAt: new Date(atMS + refusedKeptMS) }
}
