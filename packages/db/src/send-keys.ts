import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from './connect.ts'

/** An idempotency key that was used: the same send within 24 hours answers the first message again. */
export interface SendKeyDoc {
  /** key(app, sender, idempotency key) */
  _id: string
  message: string
  usedAt: Date
}

export const sendKeyIndexes: IndexDescription[] = [{ key: { usedAt: 1 }, expireAfterSeconds: 24 * 60 * 60 }]

/** The IDs of the messages that these keys already made. */
export async function findSendKeys(db: Db, keys: readonly string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const used = await db.sendKeys.find({ _id: { $in: [...keys] } }).toArray()
  return new Map(used.map((sendKey) => [sendKey._id, sendKey.message]))
}

export async function insertSendKeys(db: Db, used: SendKeyDoc[], session: ClientSession): Promise<void> {
  if (used.length > 0) await db.sendKeys.insertMany(used, { session })
}
