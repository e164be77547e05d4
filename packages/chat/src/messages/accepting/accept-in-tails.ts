import { setTimeout as pause } from 'node:timers/promises'
import type { ConfigMark } from '@parley/db/apps/config-mark'
import { isDatabaseAway } from '@parley/db/connect'
import { fenceAppends, untilDurable } from '@parley/db/sending/tails'
import { NoTurn } from '@parley/db/transactions/turns'
import type { UserDoc } from '@parley/db/users/users'
import type { AcceptParts } from './accept-messages.ts'
import { type AskedOf, askedOf, askWriter } from './ask-writer.ts'
import { type Asked, joinAsked } from './asked-appends.ts'
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

export interface TailBatch {
  sends: readonly Send[]
  /** What other gateways ask for: it is tried for as long as the room has the `rev` that they name. */
  asked?: readonly Asked[]
  /** Another gateway was asked for these before, which may have appended them, or may do so still. */
  maybeWritten?: readonly RoomAttempt[]
  /** Nobody else is asked to append. */
  isAlone?: boolean
}

/**
 * Appends a batch of messages to the tails of their rooms, by what is known of them: the write proves it. A room that has
 * changed is read again, the others are done; and what a failed write has come to is looked up before it is tried again, so
 * nothing is written twice. Returns the outcomes of the sends by their IDs.
 */
export async function acceptInTails(
  parts: AcceptParts,
  { sends, asked = [], maybeWritten = [], isAlone = false }: TailBatch,
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map()
  const deadlineMS = performance.now() + giveUpAfterMS
  /** Written maybe; how many of them, unless that is not known. */
  let tried: readonly RoomAttempt[] = maybeWritten
  let written: number | undefined
  let isUnknown = maybeWritten.length > 0
  let hasFailed = false
  const left = () => sends.filter(({ id }) => !outcomes.has(id))
  const leftAsked = () => asked.filter(({ isOver }) => !isOver)
  const finish = (rooms: readonly RoomAttempt[], senders: ReadonlyMap<string, UserDoc>) =>
    finishRooms(parts, rooms, senders, outcomes)

  while (left().length > 0 || leftAsked().length > 0) {
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
      if (left().length === 0 && leftAsked().length === 0) break
      if (performance.now() > deadlineMS) throw new NoTurn(`a room kept changing for ${giveUpAfterMS} ms`)
      const { rooms, marks } = await joinAsked(parts, await findRooms(parts, left()), leftAsked())
      for (const [id, outcome] of rooms.flatMap((room) => (room.append ? [] : room.outcomes))) outcomes.set(id, outcome)
      const elsewhere: AskedOf[] = isAlone || hasFailed ? [] : askedOf(parts, rooms)
      for (const group of elsewhere)
        setApart(group.rooms, acceptElsewhere(parts, { group, marks, sends, profiles }), outcomes)
      const here = rooms.filter((room) => !elsewhere.some((group) => group.rooms.includes(room)))
      const apart = goingApart(here, hasFailed)
      for (const group of apart)
        setApart(group, acceptInTails(parts, { sends: sendsOf(group, sends), isAlone }), outcomes)
      const toAppend = here.filter((room) => room.append !== undefined && !apart.flat().includes(room))
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
      // They make sure that it is not written any more, and go on.
      for (const one of leftAsked()) one.done('unknown')
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

/** Has the writer of these rooms append; what it has not written is written here. */
async function acceptElsewhere(
  parts: AcceptParts,
  batch: {
    group: AskedOf
    marks: readonly ConfigMark[]
    sends: readonly Send[]
    profiles: Promise<ReadonlyMap<string, UserDoc>>
  },
): Promise<Outcomes> {
  const keys = batch.group.rooms.flatMap(appendOf).map(({ room }) => room._id)
  const { written, notWritten, unknown } = await parts.askedRooms.askFor(keys, () =>
    askWriter(parts.writers, batch.group, batch.marks),
  )
  const asked = sendsOf(batch.group.rooms, batch.sends)
  const senders = await batch.profiles.catch(() => undefined)
  // What is written is found when the database is back.
  if (!senders) return acceptInTails(parts, { sends: asked, maybeWritten: batch.group.rooms, isAlone: true })
  const outcomes: Outcomes = new Map()
  finishRooms(parts, written, senders, outcomes)
  const left = [...notWritten, ...unknown]
  if (left.length === 0) return outcomes
  for (const append of notWritten.flatMap(appendOf)) parts.known.forget(append, true)
  const sends = sendsOf(left, asked)
  const accepted = await acceptInTails(parts, { sends, maybeWritten: unknown, isAlone: true })
  return new Map([...outcomes, ...accepted])
}
