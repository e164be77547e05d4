import type { Input } from '@parley/contracts/operation'
import type { saveUsers as operation } from '@parley/contracts/operations/users/users'
import { findErasures } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { UserDoc } from '@parley/db/users/documents'
import { findUsersByKey, insertUsers, newUserDoc, type Profile, updateProfiles } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { noDocs } from '../events/current-docs.ts'
import { type PendingEvents, profileSaved } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { profileInAudit } from './save-user.ts'
import { takenByGroup, takenWhileErasing } from './user-errors.ts'
import { changedBy, rightsBefore } from './write-users.ts'

/**
 * Creates users, or updates the given fields of existing ones, all or none
 * (docs/reference/users.md#create-update-issue-a-token).
 * @throws ApiError USER_EXISTS naming the IDs of user groups
 */
export async function saveUsers(
  chat: Chat,
  app: string,
  data: Input<typeof operation>['body']['data'],
): Promise<{ count: number }> {
  // A user that is named twice is merged in order.
  const users = new Map<string, { id: string } & Partial<Profile>>()
  for (const { _id: id, ...fields } of data) users.set(id, { ...users.get(id), ...(fields as Partial<Profile>), id })
  const entries = await inTransaction(chat.db, async (session) => {
    const keys = new Map([...users.keys()].map((id) => [key(app, id), id]))
    const before = await findUsersByKey(chat.db, keys.keys(), session)
    const groups = [...before.values()].filter(({ groupMembers }) => groupMembers).map(({ id }) => id)
    if (groups.length > 0) throw takenByGroup('data', ...groups)
    for (const [user, job] of await findErasures(chat.db, [...keys.keys()], session)) {
      throw takenWhileErasing('data', keys.get(user) ?? '', job)
    }
    const saved = [...users.values()].map(({ id, ...profile }) => {
      const known = before.get(key(app, id))
      return known ? changedBy(known, profile) : newUserDoc(app, id, profile)
    })
    const isKnown = ({ _id }: UserDoc) => before.has(_id)
    await insertUsers(
      chat.db,
      saved.filter((user) => !isKnown(user)),
      session,
    )
    await updateProfiles(chat.db, saved.filter(isKnown), session)
    const audited = [...users.values()].map(({ id, ...profile }) => {
      const known = before.get(key(app, id))
      const change = { subject: { kind: 'user' as const, id }, after: profileInAudit(profile) }
      return known ? Object.assign(change, { before: rightsBefore(known, profile) }) : change
    })
    await chat.audit?.writeEach(chat.db, session, audited)
    return chat.outbox.add(
      saved.map((user) => changeOf(user, isKnown(user))),
      session,
    )
  })
  chat.audit?.committed()
  // Publishing to the feed is not awaited.
  await Promise.all(entries.map((one) => chat.outbox.publishCommands(one, noDocs)))
  return { count: users.size }
}

function changeOf(user: UserDoc, isKnown: boolean): { orderingKey: string; events: PendingEvents } {
  const events: PendingEvents = []
  profileSaved(events, user, isKnown)
  return { orderingKey: userOrderingKey({ app: user.app, user: user.id }), events }
}
