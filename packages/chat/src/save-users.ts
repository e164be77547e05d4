import type { Input } from '@parley/contracts/operation'
import type { saveUsers as operation } from '@parley/contracts/operations/clients'
import { inTransaction } from '@parley/db/transaction'
import { type Profile, upsertUsers } from '@parley/db/users'
import type { Chat } from './chat.ts'

/** Creates users, or updates the fields given of those that exist; all or none (decisions.md, "Users"). */
export async function saveUsers(
  chat: Chat,
  app: string,
  data: Input<typeof operation>['body']['data'],
): Promise<{ count: number }> {
  // What is named twice is taken in order, as if one came after the other.
  const users = new Map<string, { id: string } & Partial<Profile>>()
  for (const { _id: id, ...fields } of data) users.set(id, { ...users.get(id), ...(fields as Partial<Profile>), id })
  await inTransaction(chat.db, (session) => upsertUsers(chat.db, app, [...users.values()], session))
  return { count: users.size }
}
