import { setTimeout as pause } from 'node:timers/promises'
import type { ConfigMark } from '@parley/db/apps/config-mark'
import { type Db, isDatabaseAway } from '@parley/db/connect'
import { pastBrokenOff, type SentTo } from '@parley/db/import/broken-off'
import type { TailAppend } from '@parley/db/sending/append-statement'
import { appendStored } from '@parley/db/sending/append-stored'
import { appendToTails, fenceAppends, findArrived, untilDurable } from '@parley/db/sending/tails'
import { NoTurn } from '@parley/db/transactions/turns'
import type { UserDoc } from '@parley/db/users/users'
import type { AcceptParts } from './accept-messages.ts'
import type { Outcome } from './message-batch.ts'
import { makeBatch, readFacts, type Send } from './read-batch.ts'
import { goingApart } from './rooms-apart.ts'
import { withPlaces } from './shared-rooms.ts'
import { type RoomAttempt, splitByRoom } from './tail-attempts.ts'

/** After this long a send that keeps losing its place to others, or finds no server, fails. */
const giveUpAfterMS = 10_000
const awayPauseMS = 50

/**
 * Appends a batch of messages to the tails of their rooms, by what is known of them: the write proves it. A room that has
 * changed is read again, the others are done; and what a failed write has come to is looked up before it is tried again, so
 * nothing is written twice.
 */
export async function acceptInTails(
  parts: AcceptParts,
  sends: readonly Send[],
): Promise<(Outcome | Promise<Outcome>)[]> {
  const outcomes = new Map<string, Outcome | Promise<Outcome>>()
  const deadlineMS = performance.now() + giveUpAfterMS
  /** Written maybe; how many of them, unless that is not known. */
  let tried: readonly RoomAttempt[] = []
  let written: number | undefined
  let isUnknown = false
  let hasFailed = false
  const left = () => sends.filter(({ id }) => !outcomes.has(id))
  /** In one turn, so that the events of all go out in one write. */
  const finish = (rooms: readonly RoomAttempt[], senders: ReadonlyMap<string, UserDoc>) => {
    for (const { outcomes: own, append: appended } of rooms) {
      for (const [id, outcome] of own) outcomes.set(id, outcome)
      if (!appended) continue
      parts.known.appended(appended)
      parts.settler.take(appended, senders)
    }
  }

  while (left().length > 0) {
    // Only the events need them, so the write does not wait for them.
    const profiles = handled(parts.profiles(left().map(({ draft }) => draft)))
    try {
      if (isUnknown) await fenceAppends(parts.db, tried.flatMap(appendOf))
      const arrived = await findWritten(parts, tried, written)
      if (arrived.length > 0) finish(await withPlaces(parts.db, arrived), await profiles)
      const lost = tried.filter((room) => !arrived.includes(room)).flatMap(appendOf)
      for (const append of lost) parts.known.forget(append, !isUnknown)
      tried = []
      isUnknown = false
      if (left().length === 0) break
      if (performance.now() > deadlineMS) throw new NoTurn(`a room kept changing for ${giveUpAfterMS} ms`)
      const { rooms, marks } = await findRooms(parts, left())
      const apart = goingApart(rooms, hasFailed)
      for (const group of apart) acceptApart(parts, group, sends, outcomes)
      for (const [id, outcome] of rooms.flatMap((room) => (room.append ? [] : room.outcomes))) outcomes.set(id, outcome)
      const toAppend = rooms.filter((room) => room.append !== undefined && !apart.flat().includes(room))
      if (toAppend.length === 0) continue
      const appends = toAppend.flatMap(appendOf)
      tried = toAppend
      written = undefined
      written = await append(parts.db, appends, marks)
      hasFailed = written < appends.length
      if (hasFailed) continue
      finish(await withPlaces(parts.db, toAppend), await profiles)
      tried = []
    } catch (error) {
      isUnknown = true
      if (!isDatabaseAway(error) || performance.now() > deadlineMS) {
        for (const { id } of left()) outcomes.set(id, handled(Promise.reject(error)))
      } else await pause(awayPauseMS)
    }
  }
  return sends.map(({ id }) => outcomes.get(id) as Outcome)
}

function appendOf({ append }: RoomAttempt): TailAppend[] {
  return append ? [append] : []
}

function append(db: Db, appends: readonly TailAppend[], marks: readonly ConfigMark[]): Promise<number> {
  if (!appends[0]?.areStored) return appendToTails(db, appends, marks)
  return pastBrokenOff(db, appends.map(sentToOf), () => appendStored(db, appends, marks))
}

function sentToOf({ room: { app, _id } }: TailAppend): SentTo {
  return { app, roomKeys: [_id] }
}

/** It may fail before anybody waits for it. */
function handled<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  return work
}

async function findRooms({ db, censor, known }: AcceptParts, sends: readonly Send[]) {
  const facts = await known.find(sends, (unknown) => readFacts(db, unknown))
  const batch = await makeBatch(db, censor, sends, facts)
  const isRepeat = (outcome: Outcome) => 'repeated' in outcome && outcome.repeated
  // The first send may not be durable yet, and the repeat must not be acknowledged before it.
  if (batch.outcomes.some(isRepeat)) await untilDurable(db)
  return { rooms: splitByRoom(batch, sends, (roomKey) => known.isShared(roomKey)), marks: facts.marks }
}

/** Which of the rooms have the messages that were to be appended: `most` of them, where that is known. */
async function findWritten(
  { db }: AcceptParts,
  rooms: readonly RoomAttempt[],
  most: number | undefined,
): Promise<RoomAttempt[]> {
  if (rooms.length === 0 || most === 0) return []
  const first = ({ append }: RoomAttempt) => append?.messages[0]?.message
  const arrived = await findArrived(
    db,
    rooms.flatMap((room) => first(room) ?? []),
    most,
  )
  return rooms.filter((room) => arrived.has(first(room)?._id ?? ''))
}

function acceptApart(
  parts: AcceptParts,
  rooms: readonly RoomAttempt[],
  sends: readonly Send[],
  outcomes: Map<string, Outcome | Promise<Outcome>>,
): void {
  const ids = new Set(rooms.flatMap((room) => room.outcomes.map(([id]) => id)))
  const own = sends.filter(({ id }) => ids.has(id))
  const accepted = acceptInTails(parts, own)
  own.forEach(({ id }, i) => {
    outcomes.set(id, handled(accepted.then((all) => all[i] as Outcome)))
  })
}
