import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findLastSent } from '@parley/db/messages/messages'
import type { Pause, SendFacts, SlowMode } from '@parley/db/room-buffer/facts'
import { findUsers } from '@parley/db/users/users'
import type { Draft } from './new-message.ts'

/**
 * Last send times of members under slow mode, by membership ID. The rooms were read before, and the write proves that
 * nothing was sent since, so the result is exact across gateways.
 */
export async function findPauses(
  db: Db,
  drafts: readonly Draft[],
  rooms: SendFacts['rooms'],
): Promise<Map<string, Pause>> {
  const pauses = new Map<string, Pause>()
  for (const { app, id, slow } of rooms) {
    if (!slow) continue
    const isHeldBack = (draft: Draft) =>
      draft.byClient && draft.app === app && draft.room === id && !isFree(draft, slow)
    const senders = [...new Set(drafts.filter(isHeldBack).map(({ sender }) => sender))]
    for (const [sender, lastMS] of await findLastTimes(db, { app, id }, slow, senders)) {
      pauses.set(key(app, id, sender), { everyMS: slow.everyMS, lastMS })
    }
  }
  return pauses
}

function isFree({ sender }: Draft, { owner, managers }: SlowMode): boolean {
  return sender === owner || managers.includes(sender)
}

/** The last send time of each sender. Bots are left out. */
async function findLastTimes(
  db: Db,
  { app, id }: { app: string; id: string },
  { sent }: SlowMode,
  senders: readonly string[],
): Promise<Map<string, number>> {
  if (senders.length === 0) return new Map()
  const inBuffer = new Map(sent.map(({ sender, atMS }) => [sender, atMS]))
  const others = senders.filter((sender) => !inBuffer.has(sender))
  const [flushed, users] = await Promise.all([findLastSent(db, key(app, id), others), findUsers(db, app, senders)])
  const held = senders.filter((sender) => !users.get(sender)?.isRobot)
  return new Map(held.map((sender) => [sender, inBuffer.get(sender) ?? flushed.get(sender) ?? -Infinity]))
}
