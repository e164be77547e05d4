import { setTimeout as pause } from 'node:timers/promises'
import { clock, dayMS } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { type Retention, retention, retentionKey } from '@parley/contracts/resources/retention'
import { resumeExpiry } from '@parley/db/holds/holds'
import {
  advanceSweep,
  endSweep,
  findRoomsToSweep,
  type LeasedSweep,
  leaseSweep,
  oldestSweep,
  recordOldest,
  releaseSweep,
  SweepTaken,
  type SweptRoom,
} from '@parley/db/retention/sweeps'
import type { RoomDoc } from '@parley/db/rooms/documents'
import type { Chat } from '../chat.ts'
import { readConfigValue } from '../integrations/config-values.ts'
import { untilDone, type Worker } from '../jobs/run-workers.ts'
import { findOldestMS, removeOldInRoom, removeOldInThreads } from './remove-old-messages.ts'

const roomsInPage = 200
const roomsAtOnce = 4
const dueAtOnce = 1_000
const extendEveryMS = 5_000

/**
 * Removes messages beyond their retention (docs/reference/retention.md): each app's rooms once an hour, in small
 * transactions. Any number of processes may run this, and another continues where one stops.
 */
export function removeOldMessages(chat: Chat): Worker {
  return {
    kinds: ['retention'],
    onError: (error) => chat.log.warn({ err: error }, 'old messages not removed; trying again'),
    work: untilDone((signal) => sweepNextApp(chat, signal)),
  }
}

/** Sweeps one app whose sweep is due. Returns whether there was one. */
export async function sweepNextApp(chat: Chat, signal: AbortSignal): Promise<boolean> {
  const sweep = await leaseSweep(chat.db)
  if (!sweep) return false
  try {
    await sweepApp(chat, sweep, signal)
  } catch (error) {
    if (!(error instanceof SweepTaken)) throw error
  }
  return true
}

/** Seconds since the start of the last complete sweep, for the app that has waited longest. */
export async function retentionLag({ db }: Chat): Promise<number> {
  const oldest = await oldestSweep(db)
  return oldest === undefined ? 0 : Math.max(0, clock.now() - oldest) / 1_000
}

async function sweepApp(chat: Chat, begun: LeasedSweep, signal: AbortSignal): Promise<void> {
  const { db } = chat
  const policy = (await readConfigValue(db, begun.app, retentionKey, retention)) ?? {}
  const which = Object.keys(policy).length > 0 ? 'all' : 'own'
  const leased = keepLease(chat, begun)
  if (begun.wasLifted) {
    while (!signal.aborted && (await resumeExpiry(db, begun.app, dueAtOnce)) === dueAtOnce) await leased.extend()
  }
  const sweep = (room: SweptRoom) =>
    sweepRoom(chat, leased, room, policy, signal).catch((error: unknown) => recordFailure(chat, leased, room, error))
  for (;;) {
    const { app, afterRoom = '' } = leased.sweep
    const rooms = await findRoomsToSweep(db, app, afterRoom, roomsInPage, which)
    for (const some of inParts(rooms, roomsAtOnce)) {
      await Promise.all(some.map(sweep))
      if (signal.aborted) return releaseSweep(db, leased.sweep)
    }
    const last = rooms.at(-1)
    if (last) await leased.advance({ afterRoom: last._id })
    if (rooms.length < roomsInPage) return endSweep(db, leased.sweep)
  }
}

/** The lease of a sweep. Its writes are sequential. */
function keepLease({ db }: Chat, begun: LeasedSweep) {
  let sweep = begun
  let extendAtMS = performance.now() + extendEveryMS
  let writing = Promise.resolve()
  const advanceAfter = async (before: Promise<void>, done: Parameters<typeof advanceSweep>[2]) => {
    await before
    sweep = await advanceSweep(db, sweep, done)
    extendAtMS = performance.now() + extendEveryMS
  }
  const advance = (done: Parameters<typeof advanceSweep>[2]) => {
    writing = advanceAfter(writing, done)
    return writing
  }
  return {
    get sweep() {
      return sweep
    },
    advance,
    extend: async () => {
      if (performance.now() > extendAtMS) await advance({})
    },
  }
}
type Lease = ReturnType<typeof keepLease>

/** Records that a room was not swept, so that it does not delay other rooms. */
async function recordFailure(chat: Chat, lease: Lease, room: SweptRoom, error: unknown): Promise<void> {
  if (error instanceof SweepTaken) throw error
  const { app } = lease.sweep
  chat.log.warn({ err: error, app, room: room.id }, 'old messages of a room not removed; trying again')
  await lease.advance({ failed: true })
}

async function sweepRoom(
  chat: Chat,
  lease: Lease,
  room: SweptRoom,
  policy: Retention,
  signal: AbortSignal,
): Promise<void> {
  const { app } = lease.sweep
  const { id, seq, oldestAtMS, importing } = room
  // The collection also contains configuration marks, which have no ID.
  if (id === undefined || importing || seq === 0) return
  const beforeMS = keptFromMS(room, policy, clock.now())
  if (beforeMS === undefined || (oldestAtMS !== undefined && oldestAtMS >= beforeMS)) return
  for (const remove of [removeOldInThreads, removeOldInRoom]) {
    for (let more = true; more && !signal.aborted; ) {
      const sinceMS = performance.now()
      more = await remove(chat, { app, id }, beforeMS)
      await lease.extend()
      // Pauses as long as the transaction took, to let sends to the room through.
      if (more) await pause(performance.now() - sinceMS)
    }
  }
  const oldest = await findOldestMS(chat, { app, id })
  if (oldest !== oldestAtMS) await recordOldest(chat.db, room._id, oldest)
}

/** The time (Unix milliseconds) before which a room's messages are removed; undefined if they are kept. */
function keptFromMS(
  { roomType, retentionDays = 0 }: Pick<RoomDoc, 'roomType' | 'retentionDays'>,
  ofApp: Retention,
  nowMS: number,
): number | undefined {
  const days = retentionDays || ofApp[roomType] || ofApp.days
  return days === undefined ? undefined : nowMS - days * dayMS
}
