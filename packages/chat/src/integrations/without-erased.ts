import { readJson } from '@parley/contracts/free-json'
import type { Db } from '@parley/db/connect'
import { findUsers } from '@parley/db/users/users'
import { toSenderView } from '../views/message.ts'

/** Fields with user profiles: the sender of a message, the members of a room. */
interface WithProfiles {
  sender?: unknown
  members?: unknown
}

/** The data of a call as JSON text, with erased users reduced to their IDs. */
export async function withoutErased(db: Db, app: string, data: string): Promise<string> {
  const about = readJson(data) as WithProfiles | null
  const named = [about?.sender, about?.members].flat().flatMap((one) => idOf(one) ?? [])
  const known = await findUsers(db, app, named)
  if (named.every((id) => known.has(id))) return data
  const asOfNow = (one: unknown) => {
    const id = idOf(one)
    return id === undefined || known.has(id) ? one : toSenderView(id, undefined)
  }
  const { sender, members } = about ?? {}
  return JSON.stringify({
    ...about,
    sender: asOfNow(sender),
    ...(Array.isArray(members) && { members: members.map(asOfNow) }),
  })
}

function idOf(profile: unknown): string | undefined {
  return typeof profile === 'object' && profile !== null && '_id' in profile ? String(profile._id) : undefined
}
