import type { Db } from '@parley/db/connect'
import { type FileUse, findUses } from '@parley/db/files/attached'
import { key } from '@parley/db/keys'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import { findRoomsByKey } from '@parley/db/rooms/rooms'

export const usesAtOnce = 200

/** Whether a flushed message with a file can be read. */
export async function hasCurrentUse(db: Db, file: { app: string; id: string }): Promise<boolean> {
  for (let after = ''; ; ) {
    const page = await findUses(db, file, after, usesAtOnce)
    if ((await currentUses(db, page)).length > 0) return true
    if (page.length < usesAtOnce) return false
    after = page.at(-1)?._id ?? ''
  }
}

/** The uses whose message is readable: not deleted, in an existing room. */
export async function currentUses(db: Db, uses: readonly FileUse[]): Promise<FileUse[]> {
  if (uses.length === 0) return []
  const keys = [...new Set(uses.map(({ app, room }) => key(app, room)))]
  const rooms = new Map((await findRoomsByKey(db, keys)).map((room) => [room._id, room]))
  return uses.filter((use) => {
    const room = rooms.get(key(use.app, use.room))
    return room && !room.deletedAt && !isDeletedIn(use, room)
  })
}
