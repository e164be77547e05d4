import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '@parley/db/connect'
import { fenceAppends, untilDurable } from '@parley/db/sending/tails'
import { NoTurn } from '@parley/db/transactions/turns'
import type { UserDoc } from '@parley/db/users/users'
import type { AcceptParts } from './accept-messages.ts'
import { finishRooms, type Outcomes } from './finish-rooms.ts'
import type { Outcome } from './message-batch.ts'
import { makeBatch, readFacts, type Send } from './read-batch.ts'
import { goingApart } from './rooms-apart.ts'
import { withPlaces } from './shared-rooms.ts'
import { type RoomAttempt, splitByRoom } from './tail-attempts.ts'
import { appendOf, findWritten, writeAppends } from './write-appends.ts'

/** After this long a send that keeps losing its place to others, or finds no server, fails. */
const giveUpAfterMS = 10_000
const awayPauseMS = 50

/**
 * Appends a batch of messages to the tails of their rooms, by what is known of them: the write proves it. A room that has
 * changed is read again, the others are done; and what a failed write has come to is looked up before it is tried again, so
 * nothing is written twice. Returns the outcomes of the sends by their IDs.
 */
export async function acceptInTails(parts: AcceptParts, sends: readonly Send[]): Promise<Outcomes> {
  const outcomes: Outcomes = new Map()
  const deadlineMS = performance.now() + giveUpAfterMS
  /** Written maybe; how many of them, unless that is not known. */
  let tried: readonly RoomAttempt[] = []
  let written: number | undefined
  let isUnknown = false
  let hasFailed = false
  const left = () => sends.filter(({ id }) => !outcomes.has(id))
  const finish = (rooms: readonly RoomAttempt[], senders: ReadonlyMap<string, UserDoc>) =>
    finishRooms(parts, rooms, senders, outcomes)

  while (left().length > 0) {
    // Only the events need them, so the write does not wait for them.
    const profiles = handled(parts.profiles(left().map(({ draft }) => draft)))
    try {
      if (isUnknown) await fenceAppends(parts.db, tried.flatMap(appendOf))
      const arrived = await findWritten(parts.db, tried, written)
      if (arrived.length > 0) finish(await withPlaces(parts.db, arrived), await profiles)
      const lost = tried.filter((room) => !arrived.includes(room)).flatMap(appendOf)
      for (const append of lost) parts.known.forget(append, !isUnknown)
      tried = []
      isUnknown = false
      if (left().length === 0) break
      if (performance.now() > deadlineMS) throw new NoTurn(`a room kept changing for ${giveUpAfterMS} ms`)
      const { rooms, marks } = await findRooms(parts, left())
      for (const [id, outcome] of rooms.flatMap((room) => (room.append ? [] : room.outcomes))) outcomes.set(id, outcome)
      const apart = goingApart(rooms, hasFailed)
      for (const group of apart) setApart(group, acceptInTails(parts, sendsOf(group, sends)), outcomes)
      const toAppend = rooms.filter((room) => room.append !== undefined && !apart.flat().includes(room))
      if (toAppend.length === 0) continue
      const appends = toAppend.flatMap(appendOf)
      tried = toAppend
      written = undefined
      written = await writeAppends(parts.db, appends, marks)
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
  return outcomes
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

/** The outcomes of these rooms come later than those of the others. */
function setApart(rooms: readonly RoomAttempt[], accepted: Promise<Outcomes>, outcomes: Outcomes): void {
  for (const [id] of rooms.flatMap((room) => room.outcomes))
    outcomes.set(id, handled(accepted.then((all) => all.get(id) as Outcome)))
}

function sendsOf(rooms: readonly RoomAttempt[], sends: readonly Send[]): Send[] {
  const ids = new Set(rooms.flatMap((room) => room.outcomes.map(([id]) => id)))
  return sends.filter(({ id }) => ids.has(id))
}
