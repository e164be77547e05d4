import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../connect.ts'
import type { MessageDoc } from '../messages/messages.ts'
import { KeyTaken } from '../transactions/transaction.ts'
import { clearing, endImports, isClearing, takeImports } from './import-lease.ts'
import { findImported, remove, removeUnreached, removeUnreachedOfThreads } from './unreached.ts'

/** Longer than removing what an import writes at a time may take. */
const leaseMS = 30_000
const waitMS = 50
/** A send gives up after 10 s. */
const mostWaitMS = 5_000

/** Where messages are sent. */
export interface SentTo {
  app: string
  roomKeys: readonly string[]
  /** IDs of the messages that threads are about. */
  roots?: readonly string[]
}

/**
 * Writes messages; when what a broken off import has left stands in their places, removes that and writes again.
 * @throws KeyTaken also while an import works on the app
 */
export async function pastBrokenOff<T>(db: Db, sentTo: readonly SentTo[], write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
    for (const one of sentTo) if (!(await clearWhenFree(db, one))) throw error
    return write()
  }
}

/** Removes imported messages from the places of messages that were sent: their rooms will never be moved to them. */
export async function clearPlaces(db: Db, sent: readonly MessageDoc[]): Promise<void> {
  const appOf = new Map(sent.map(({ roomKey, app }) => [roomKey, app]))
  const places = [...Map.groupBy(sent, ({ roomKey }) => roomKey)].map(([roomKey, some]) => {
    return { roomKey, seq: { $in: some.map(({ seq }) => seq) } }
  })
  const inTheWay = await findImported(db, places)
  for (const [app, some] of Map.groupBy(inTheWay, ({ roomKey }) => appOf.get(roomKey) ?? '')) {
    const roomKeys = [...new Set(some.map(({ roomKey }) => roomKey))]
    if ((await clearBrokenOff(db, { app, roomKeys })) !== 'cleared') await remove(db, some)
  }
}

/** The same as clearBrokenOff; another that clears is waited for. */
async function clearWhenFree(db: Db, sentTo: SentTo): Promise<boolean> {
  const deadlineMS = performance.now() + mostWaitMS
  for (;;) {
    const done = await clearBrokenOff(db, sentTo)
    if (done !== 'another clears' || performance.now() > deadlineMS) return done === 'cleared'
    await pause(waitMS)
  }
}

/** Nothing is done while an import works on the app: it may still reach what it has written. */
async function clearBrokenOff(
  db: Db,
  { app, roomKeys, roots = [] }: SentTo,
): Promise<'cleared' | 'another clears' | 'an import works'> {
  const by = `${clearing}${randomUUID()}`
  const other = await takeImports(db, app, by, leaseMS)
  if (other) return isClearing(other) ? 'another clears' : 'an import works'
  try {
    await removeUnreached(db, roomKeys)
    await removeUnreachedOfThreads(db, roots)
  } finally {
    await endImports(db, app, by)
  }
  return 'cleared'
}
