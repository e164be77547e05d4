import { hereMention, type Mention, roomMention } from '@parley/contracts/resources/push/decide-notification'
import type { Db } from '@parley/db/connect'
import { expandGroups } from '@parley/db/users/groups'

/** The mentions of a message (docs/reference/push.md#mentions-of-the-room). */
export interface Mentions {
  /** Users mentioned by name or through a group. */
  named: ReadonlySet<string>
  /** Whether all members are mentioned, or only connected ones. */
  all?: 'room' | 'here'
}

/** The mentions of a message, with groups expanded to their members. */
export async function findMentions(db: Db, app: string, mentions: readonly string[] = []): Promise<Mentions> {
  const ids = mentions.filter((id) => !isRoomMention(id))
  const named = await expandGroups(db, app, ids)
  if (mentions.includes(roomMention)) return { named, all: 'room' }
  return mentions.includes(hereMention) ? { named, all: 'here' } : { named }
}

/** @param isHere whether the user is connected */
export function mentionOf(user: string, { named, all }: Mentions, isHere = false): Mention | undefined {
  if (named.has(user)) return 'user'
  return all === 'room' || (all === 'here' && isHere) ? 'room' : undefined
}

export function isRoomMention(id: string): boolean {
  return id === roomMention || id === hereMention
}
