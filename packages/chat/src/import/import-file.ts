import { randomUUID } from 'node:crypto'
import { runAlone } from '@parley/async/alone'
import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { ImportLine, ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import type { HoldDoc } from '@parley/db/holds/documents'
import { coverOf } from '@parley/db/holds/holds'
import { saveImportedHolds, saveImportedReports } from '@parley/db/import/imported-cases'
import { ImportConflict } from '@parley/db/import/imported-rooms'
import { saveImportedThreadMembers } from '@parley/db/import/imported-thread-members'
import { abortImporting, endImporting, endImports, renewImports, takeImports } from '@parley/db/import/importing'
import { key } from '@parley/db/keys'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import { insertScheduled, refusedKeptMS } from '@parley/db/messages/scheduled'
import type { ReportDoc } from '@parley/db/moderation/documents'
import { keptMS } from '@parley/db/moderation/reports'
import { contentOf } from '../messages/draft.ts'
import { repairBadges } from '../rooms/badges.ts'
import type { Watching } from './check-file.ts'
import { batchesOf, type CheckedFile } from './checked-file.ts'
import { findAttachments } from './import-attachments.ts'
import { toThreadMember } from './imported-docs.ts'
import { importedMessageId, type KnownFiles } from './known-ids.ts'
import { type FilesToImport, FileWriter } from './write-files.ts'
import { LineWriter } from './write-lines.ts'
import { writeMembers } from './write-members.ts'
import { type SettingLine, settingTypes, writeSettings } from './write-settings.ts'

const linesPerBatch = 8_000
const linesPerTransaction = 200

interface Importing extends Watching {
  /** Called once no other import can run. */
  onBegin?: () => Promise<void>
  /** Needed if the file has lines of files. */
  files?: Omit<FilesToImport, 'db' | 'app' | 'folder' | 'earlier'> | undefined
}

/**
 * Imports the lines accepted by checkFile: users, rooms and messages first, then members, so that users enter only
 * complete rooms. Emits no events, pushes or webhooks. After an interruption at any point, run it again.
 * @throws ImportConflict if an imported document conflicts with an existing one, or another import is running
 */
export async function importFile(
  db: Db,
  app: string,
  file: CheckedFile,
  { onBegin, ...importing }: Importing,
): Promise<void> {
  await importAlone(db, app, async (requireAlone) => {
    await onBegin?.()
    try {
      await write(db, app, file, importing, requireAlone)
    } catch (error) {
      // After any other error a write may still arrive, so the rooms stay closed to sends until the import is repeated.
      if (error instanceof ImportConflict) await abortImporting(db, app)
      throw error
    }
  })
}

/**
 * Aborts a failed or killed import: its rooms accept sends again, with the messages imported so far.
 * @returns the number of rooms that were being imported
 * @throws ImportConflict if an import of the app is running
 */
export async function abortImport(db: Db, app: string, onBegin?: () => Promise<void>): Promise<number> {
  return importAlone(db, app, async () => {
    await onBegin?.()
    return abortImporting(db, app)
  })
}

async function write(
  db: Db,
  app: string,
  file: CheckedFile,
  { onProgress, files }: Importing,
  requireAlone: () => Promise<void>,
): Promise<void> {
  const { folder, files: known, earlier } = file
  const fileWriter = files && new FileWriter({ db, app, folder, earlier, ...files })
  const store = fileWriter && ((lines: readonly ImportOf<'file'>[]) => fileWriter.write(lines, requireAlone))
  const writer = new LineWriter(db, app, { known, store })
  let done = 0
  const writeBatch = async (batch: readonly ImportLine[]) => {
    await writer.write(batch)
    await earlier.note(batch.filter((line) => line.type === 'file' || (line.type === 'user' && line.erased !== true)))
    onProgress('written', (done += batch.length))
  }
  /** Writes lines that no earlier import has written. */
  const once = async <T extends ImportLine>(types: readonly T['type'][], work: (lines: T[]) => Promise<void>) => {
    for await (const batch of batchesOf(file, linesPerTransaction, types)) {
      await requireAlone()
      const fresh = batch.filter((line) => !earlier.has(line))
      await work(fresh as T[])
      await earlier.note(fresh)
    }
  }
  let writing = Promise.resolve()
  for await (const batch of batchesOf(file, linesPerBatch)) {
    // Reads the next lines while these are written.
    await writing
    await requireAlone()
    writing = writeBatch(batch)
    // Awaited in the next round.
    writing.catch(() => undefined)
  }
  await writing
  await writer.finish()
  done = 0
  for await (const batch of batchesOf(file, linesPerTransaction, ['membership'])) {
    await requireAlone()
    await writeMembers(db, app, batch as ImportOf<'membership'>[], writer.rooms)
    onProgress('members', (done += batch.length))
  }
  // Before settings, which may begin retention.
  await once<ImportOf<'hold'>>(['hold'], (lines) => writeHolds(db, app, lines))
  await once<SettingLine>(settingTypes, (lines) => writeSettings(db, app, lines))
  for await (const batch of batchesOf(file, linesPerTransaction, ['thread'])) {
    await requireAlone()
    const lines = batch as ImportOf<'thread'>[]
    await saveImportedThreadMembers(
      db,
      lines.map((line) => toThreadMember(app, line, writer.seqInThread(line.room, line.threadOf))),
    )
  }
  await once<ImportOf<'scheduled'>>(['scheduled'], (lines) => writeScheduled(db, app, lines, known))
  await once<ImportOf<'report'>>(['report'], (lines) => writeReports(db, app, lines))
  const keys = [...writer.rooms.keys()].map((room) => key(app, room))
  await endImporting(db, keys)
  // A new room has all of its members in the file; an existing one may have former members.
  for (const [room, { storedSeq }] of writer.rooms) if (storedSeq > 0) await repairBadges(db, { app, room })
}

/**
 * Runs an import under the app's import lease, since a second import would remove unfinished writes of the first.
 * @param work awaits its argument before each write: see runAlone
 * @throws ImportConflict if another import is running
 */
export async function importAlone<T>(
  db: Db,
  app: string,
  work: (requireAlone: () => Promise<void>) => Promise<T>,
  leaseMS?: number,
): Promise<T> {
  const by = randomUUID()
  const lease = {
    take: async (ms: number) => (await takeImports(db, app, by, ms))?.until.getTime(),
    renew: (ms: number) => renewImports(db, app, by, ms),
    end: () => endImports(db, app, by),
    busy: () => new ImportConflict('another import into the app is running; run this one when it has ended'),
    lost: () => new Error('the import stalled and another import took its lease; run it again'),
  }
  return runAlone(lease, work, leaseMS)
}

/** Writes legal holds; existing ones stay. */
async function writeHolds(db: Db, app: string, lines: readonly ImportOf<'hold'>[]): Promise<void> {
  await saveImportedHolds(
    db,
    lines.map((line) => toHold(app, line)),
  )
}

/** Writes reports; existing ones stay. Skips those whose time to be kept has passed. */
async function writeReports(db: Db, app: string, lines: readonly ImportOf<'report'>[]): Promise<void> {
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

type Line = ImportOf<'scheduled'>

/** Send keys are kept for a day: until then, a repeated import sends nothing twice. */
const maxLateMS = 24 * 60 * 60 * 1_000

/** Writes scheduled messages; existing ones stay. Skips those that were due a day ago, or of erased senders. */
async function writeScheduled(db: Db, app: string, lines: readonly Line[], files: KnownFiles): Promise<void> {
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
