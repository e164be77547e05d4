import { Binary } from 'mongodb'
import type { Db } from '../db.ts'
import type { HoldDoc } from '../holds/documents.ts'
import { insertHold } from '../holds/holds.ts'
import { idsOf, key, keyRange } from '../keys.ts'
import { newId } from '../messages/messages.ts'
import type { ReportDoc } from '../moderation/documents.ts'
import { insertMissing } from '../transactions/run-writes.ts'
import { inTransactionWhenBusy, retryBusy } from './retry-busy.ts'

/** Inserts holds; existing ones stay. Removals that run meanwhile see them, or conflict. */
export async function saveImportedHolds(db: Db, holds: readonly HoldDoc[]): Promise<void> {
  if (holds.length === 0) return
  await inTransactionWhenBusy(db, async (session) => {
    const existing = new Set(idsOf(await db.holds.find({ _id: { $in: idsOf(holds) } }, { session }).toArray()))
    for (const hold of holds) if (!existing.has(hold._id)) await insertHold(db, hold, session)
  })
}

/** Inserts reports; existing ones of the same messages stay. */
export async function saveImportedReports(db: Db, reports: readonly ReportDoc[]): Promise<void> {
  if (reports.length > 0) await retryBusy(() => insertMissing(db, db.reports.collectionName, reports))
}

export async function recordImportedLines(db: Db, app: string, hashes: readonly bigint[]): Promise<void> {
  if (hashes.length === 0) return
  const bytes = Buffer.from(BigUint64Array.from(hashes).buffer)
  const doc = { _id: key(app, newId()), hashes: new Binary(bytes) }
  await db.importedLines.insertOne(doc, { writeConcern: { w: 'majority', journal: true } })
}

export async function* findImportedLines(db: Db, app: string): AsyncGenerator<bigint> {
  for await (const { hashes } of db.importedLines.find({ _id: keyRange(app) })) {
    const bytes = Buffer.from(hashes.value())
    for (let at = 0; at < bytes.length; at += 8) yield bytes.readBigUInt64LE(at)
  }
}
