import { key } from '@parley/db/keys'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { lockRoomWithoutFlush } from '@parley/db/rooms/lock-room'
import { removeMembers } from '@parley/db/rooms/remove-members'
import { findUsers } from '@parley/db/users/users'
import { asIntegrator } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { commitChange, publishRoom } from '../events/change-and-notify.ts'
import { membersChanged } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'

/**
 * Records that users have joined a group, after the commit. Users erased meanwhile are removed again, since the erasure
 * may have looked for their rooms before.
 */
export async function recordJoinedMembers(chat: Chat, { app, id }: RoomDoc, users: readonly string[]): Promise<void> {
  if (await chat.recordJoin(users.map((user) => key(app, user)))) return
  const existing = await findUsers(chat.db, app, users)
  const gone = users.filter((user) => !existing.has(user))
  if (gone.length === 0) return
  const { value: room, entries } = await commitChange(chat, roomOrderingKey(app, id), async (session, pending) => {
    const before = await lockRoomWithoutFlush(chat.db, app, id, session)
    if (!before) return undefined
    const { room: after, removed } = await removeMembers(chat.db, before, gone, session)
    if (removed.length === 0) return undefined
    membersChanged(pending, after, { event: 'DELETE_MEMBERS', sender: undefined, members: removed })
    return after
  })
  if (room) await publishRoom(chat, asIntegrator(app), { value: room, entries })
}
