import type { ApiError } from '@parley/contracts/errors'
import { key } from '@parley/db/keys'
import type { UserDoc } from '@parley/db/users/documents'
import { unknownUser } from '../users/user-errors.ts'

/** Finds users and user groups by `key(app, id)`. */
interface UserLookup {
  findUsers(keys: readonly string[]): Promise<ReadonlyMap<string, UserDoc>>
}

/**
 * The users behind `ids` without duplicates. A group stands for its current members.
 * @param field name of the list in errors
 * @throws ApiError CLIENT_NOT_FOUND naming the unknown IDs
 */
export async function expandMembers(
  chat: UserLookup,
  app: string,
  ids: readonly string[],
  field = 'members',
): Promise<{ members: string[]; users: Map<string, UserDoc> }> {
  const named = await findByIds(chat, app, ids)
  const unknown = unknownAmong(ids, (id) => named.has(id), field)
  if (unknown) throw unknown
  const members = [...new Set(ids.flatMap((id) => named.get(id)?.groupMembers ?? [id]))]
  const fromGroups = members.filter((id) => !named.has(id))
  const users = new Map([...named, ...(await findByIds(chat, app, fromGroups))])
  return { members: members.filter((id) => users.has(id)), users }
}

/** The error naming the unknown IDs, if any. @param field name of the list */
export function unknownAmong(
  ids: readonly string[],
  isKnown: (id: string) => boolean,
  field: string,
): ApiError | undefined {
  const unknown = [...new Set(ids)].filter((id) => !isKnown(id))
  if (unknown.length === 0) return undefined
  return unknownUser(field, ...unknown)
}

async function findByIds(chat: UserLookup, app: string, ids: readonly string[]): Promise<Map<string, UserDoc>> {
  if (ids.length === 0) return new Map()
  const found = await chat.findUsers(ids.map((id) => key(app, id)))
  return new Map(
    ids.flatMap((id) => {
      const user = found.get(key(app, id))
      return user ? [[id, user]] : []
    }),
  )
}
