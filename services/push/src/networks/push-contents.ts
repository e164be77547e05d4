import type { Db } from '@parley/db/connect'
import type { PushDoc } from '@parley/db/push/documents'
import { findPushContents } from '@parley/db/push/pushes'
import { LRUCache } from 'lru-cache'
import { asJson, type PushContent, removedNotifications } from './network.ts'
import { hasWaited } from './recheck-pushes.ts'

export function contentOf(
  { removes, content }: PushDoc,
  known: ReadonlyMap<string, PushContent>,
): PushContent | undefined {
  return removes ? { of: 'read', ...removedNotifications(removes) } : known.get(content)
}

/** Cache time: a message to many is read once a second, and few pushes go out with a text deleted meanwhile. */
const keptMS = 1_000
/** Size of the cache for other devices of the same message, in characters of JSON. */
const keptContents = 16 * 1024 * 1024

/** Reads push contents by ID, without empty ones, non-JSON, and those that a process with PUSH_GENERIC decided. */
export function createPushContents(db: Db): (pushes: readonly PushDoc[]) => Promise<Map<string, PushContent>> {
  const contents = new LRUCache<string, PushContent>({ maxSize: keptContents, ttl: keptMS })
  return async (pushes) => {
    const wanted = new Set(pushes.flatMap(({ content, removes }) => (removes ? [] : [content])))
    // The text may have been deleted since it was read.
    for (const push of pushes) if (hasWaited(push)) contents.delete(push.content)
    const known = new Map<string, PushContent>()
    for (const id of wanted) {
      const content = contents.get(id)
      if (content) known.set(id, content)
    }
    const missing = [...wanted].filter((id) => !known.has(id))
    for (const [id, json] of await findPushContents(db, missing)) {
      const content = asJson(json) as PushContent | undefined
      if (!content) continue
      known.set(id, content)
      contents.set(id, content, { size: json.length })
    }
    return known
  }
}
