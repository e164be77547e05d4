import { Binary } from 'mongodb'
import type { Db } from '../db.ts'
import { key, keyRange } from '../keys.ts'
import { newId } from '../messages/messages.ts'

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
