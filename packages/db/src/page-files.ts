import { clock } from '@parley/async/clock'
import { Binary, type IndexDescription } from 'mongodb'
import type { Db } from './db.ts'
import { idsOf } from './keys.ts'

export const pageFileIndexes: IndexDescription[] = [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }]

/** A page can stay open across releases for days, and loads some files on demand. */
const keptMS = 30 * 24 * 3_600_000

/** Stores files of the chat page for gateways of other releases. File names are unique per content. */
export async function keepPageFiles(db: Db, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const expiresAt = new Date(clock.now() + keptMS)
  const writes = [...files].map(([_id, content]) => ({
    updateOne: {
      filter: { _id },
      update: { $set: { expiresAt }, $setOnInsert: { content: new Binary(content) } },
      upsert: true,
    },
  }))
  await db.pageFiles.bulkWrite(writes, { ordered: false })
}

export async function listPageFiles(db: Db): Promise<string[]> {
  const found = await db.pageFiles.find({}, { projection: { _id: 1 } }).toArray()
  return idsOf(found)
}

export async function findPageFile(db: Db, name: string): Promise<Uint8Array | undefined> {
  return (await db.pageFiles.findOne({ _id: name }))?.content.buffer
}
