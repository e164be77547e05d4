import type { PushReason } from '@parley/contracts/resources/push-explanation'
import type { Db } from '@parley/db/connect'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findMembership } from '@parley/db/rooms/memberships'
import { findRoom } from '@parley/db/rooms/rooms'
import { findThreadMember } from '@parley/db/threads/thread-members'
import { findBlockersOf } from '@parley/db/users/blocks'
import type { DeviceDoc } from '@parley/db/users/documents'
import { expandGroups } from '@parley/db/users/groups'
import { findUnpushed } from '@parley/db/users/users'
import { reasonOfMember } from './push-reason.ts'

/**
 * The suppression reason of a push to a user as things are now, where nothing is on record: no network is configured, the push
 * service has not handled the message yet, or it is longer ago than records are kept.
 */
export async function reasonNow(
  db: Db,
  message: MessageDoc,
  client: string,
  devices: readonly DeviceDoc[],
): Promise<PushReason> {
  const { app, room: roomId, sender } = message
  const room = await findRoom(db, app, roomId)
  const member = await findMembership(db, app, roomId, client)
  if (!room || !member) return 'NOT_A_MEMBER'
  const mentions = await expandGroups(db, app, message.mentions ?? [])
  const reason = reasonOfMember(member, room, message, mentions.has(client))
  if (reason) return reason
  if (message.threadOf !== undefined && !mentions.has(client)) {
    const thread = { app, room: roomId, root: message.threadOf }
    if (!(await findThreadMember(db, thread, client))) return 'NOT_IN_THREAD'
  }
  const unpushed = (await findUnpushed(db, app, [client])).get(client)
  if (unpushed) return unpushed
  if ((await findBlockersOf(db, app, sender, [client])).has(client)) return 'BLOCKED'
  return devices.length === 0 ? 'NO_DEVICE' : 'NOT_RECORDED'
}
