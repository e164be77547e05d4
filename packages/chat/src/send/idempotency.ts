import type { Db } from '@parley/db/connect'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { sendKeyOf } from '@parley/db/messages/send-keys'
import { fromBuffer } from '@parley/db/room-buffer/buffer'
import type { SendFacts } from '@parley/db/room-buffer/facts'

/**
 * Messages sent before with the idempotency keys, by key. The rooms were read before the keys, so the key of a message
 * that has left a buffer since is already stored.
 */
export async function findSentBefore(db: Db, { rooms, usedKeys }: SendFacts): Promise<Map<string, MessageDoc>> {
  const buffered = rooms.flatMap((room) => (room.buffer ?? []).map((entry) => ({ room, entry })))
  const ids = [...usedKeys.values(), ...buffered.map(({ entry }) => entry._id)]
  const flushed = new Map((await findMessages(db, ids)).map((message) => [message._id, message]))
  const found = new Map<string, MessageDoc>()
  for (const { room, entry } of buffered) {
    const message = flushed.get(entry._id) ?? (entry.stored ? undefined : fromBuffer(room, entry))
    if (message) found.set(sendKeyOf(message, entry.sendKey ?? ''), message)
  }
  for (const [sendKey, id] of usedKeys) {
    const message = flushed.get(id)
    if (message) found.set(sendKey, message)
  }
  return found
}
