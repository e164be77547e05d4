import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from '../connect.ts'

/** A used idempotency key: the same send within 24 hours returns the first message again. */
export interface SendKeyDoc {
  /** key(app, sender, idempotency key), or where another room has used that, the same with the room at the end */
  _id: string
  message: string
  usedAt: Date
}

const keptS = 24 * 60 * 60

export const sendKeyIndexes: IndexDescription[] = [{ key: { usedAt: 1 }, expireAfterSeconds: keptS }]

/** No key that was used longer ago is there, however late MongoDB removes it: it looks once a minute. */
export const sendKeysKeptMS = (keptS + 5 * 60) * 1_000

/** Which of these keys are used: the message of each. */
export async function findSendKeys(
  db: Db,
  keys: readonly string[],
  session: ClientSession,
): Promise<Map<string, string>> {
  const found = await db.sendKeys.find({ _id: { $in: [...keys] } }, { session }).toArray()
  return new Map(found.map(({ _id, message }) => [_id, message]))
}

export async function insertSendKeys(db: Db, used: SendKeyDoc[], session: ClientSession): Promise<void> {
  if (used.length > 0) await db.sendKeys.insertMany(used, { session })
}
