import type { IndexDescription } from 'mongodb'
import type { Db } from './connect.ts'
import { key } from './keys.ts'

/** A message that one user deleted for himself. */
export interface UserDeletionDoc {
  /** key(app, room, user, message) */
  _id: string
  roomKey: string
  user: string
  message: string
  seq: number
  sender: string
  deletedAtMS: number
}

export const userDeletionIndexes: IndexDescription[] = [
  { key: { roomKey: 1, user: 1, seq: 1 } },
  { key: { roomKey: 1, message: 1 } },
]

/** Which of these messages the user deleted for himself. */
export async function findUserDeletions(
  db: Db,
  app: string,
  room: string,
  user: string,
  messages: readonly string[],
): Promise<string[]> {
  if (messages.length === 0) return []
  const keys = messages.map((message) => key(app, room, user, message))
  const found = await db.userDeletions.find({ _id: { $in: keys } }, { projection: { message: 1 } }).toArray()
  return found.map((deletion) => deletion.message)
}
