import type { PushNetwork } from '@parley/contracts/resources/push/network'
import type { Db } from '@parley/db/connect'
import type { PushDoc } from '@parley/db/push/documents'
import { findDuePushes, holdPushes, releasePushes } from '@parley/db/push/pushes'
import type { Doubts } from './doubts.ts'

/**
 * Creates the reader of a network's due pushes. It leaves out those of apps that the network is stopped for: they wait
 * in the database. Pushes that an earlier process held are due: the credentials may have changed.
 * @returns how many were due, and those to send
 */
export function createDuePushes(
  db: Db,
  name: PushNetwork,
  doubts: Doubts,
): (most: number) => Promise<{ found: number; due: PushDoc[] }> {
  let isReleased = false
  return async (most) => {
    if (!isReleased) await releasePushes(db, name)
    isReleased = true
    const found = await findDuePushes(db, name, most)
    const held = new Map<string, number>()
    for (const push of found) {
      const untilMS = doubts.heldUntilMS(push)
      if (untilMS !== undefined) held.set(push._id, untilMS)
    }
    if (held.size > 0) await holdPushes(db, held)
    return { found: found.length, due: found.filter(({ _id }) => !held.has(_id)) }
  }
}
