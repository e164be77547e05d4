import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import type { MessageDoc, SendKeyDoc } from './documents.ts'

const keptS = 24 * 60 * 60

export const sendKeyIndexes: IndexDescription[] = [{ key: { usedAt: 1 }, expireAfterSeconds: keptS }]

/** No key exists for longer. MongoDB's TTL monitor runs once a minute, hence the margin. */
export const sendKeysKeptMS = (keptS + 5 * 60) * 1_000

/** ID of the message sent under the key; undefined for an unused key. */
export async function findSendKey(db: Db, name: string, session: Session): Promise<string | undefined> {
  return (await db.sendKeys.findOne({ _id: name }, { session }))?.message
}

export async function insertSendKey(db: Db, used: SendKeyDoc, session: Session): Promise<void> {
  await db.sendKeys.insertOne(used, { session })
}

/** key(app, sender, sendKey, room) */
export function sendKeyOf({ app, room, sender }: Pick<MessageDoc, 'app' | 'room' | 'sender'>, sendKey: string): string {
  return key(app, sender, sendKey, room)
}
