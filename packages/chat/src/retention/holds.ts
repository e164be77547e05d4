import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { listHolds as listing, placeHold as placing } from '@parley/contracts/operations/data/holds'
import type { Hold } from '@parley/contracts/resources/hold'
import type { Session } from '@parley/db/connect'
import type { HoldDoc, OwedErasure } from '@parley/db/holds/documents'
import { countHolds, coverOf, deleteHold, findHolds, insertHold, oweErasure } from '@parley/db/holds/holds'
import { insertJob } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { sweepSoon } from '@parley/db/retention/sweeps'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Chat } from '../chat.ts'
import { parseCursor, positionByCreation, toPage } from '../page-cursor.ts'

const maxHoldsPerApp = 10_000

/**
 * Places a legal hold on a room, or on everything a user wrote (docs/reference/retention.md#legal-holds). Data that
 * exists when this settles is kept until the hold is lifted.
 * @throws ApiError MISSING_PARAMETER, INVALID_REQUEST, TOO_MANY_HOLDS
 */
export async function placeHold(
  chat: Chat,
  app: string,
  { user, room, reason }: Input<typeof placing>['body'],
): Promise<Hold> {
  if (user !== undefined && room !== undefined) throw new ApiError('INVALID_REQUEST', 'user, room: give one of them')
  const of = user === undefined ? room !== undefined && { room } : { user }
  if (!of) throw new ApiError('MISSING_PARAMETER', 'user or room is required')
  const id = newId()
  const hold = { _id: key(app, id), app, id, ...of, covers: coverOf(app, of), reason, createdAtMS: clock.now() }
  await inTransaction(chat.db, async (session) => {
    if ((await countHolds(chat.db, app, session)) >= maxHoldsPerApp) {
      throw new ApiError('TOO_MANY_HOLDS', `an app has at most ${maxHoldsPerApp} holds: lift some`)
    }
    await insertHold(chat.db, hold, session)
    chat.audit?.addDetails({ after: { hold: id, reason } })
    await chat.audit?.write(chat.db, session)
  })
  chat.audit?.committed()
  return toView(hold)
}

/** A page of the app's holds, latest first. @throws ApiError INVALID_QUERY */
export async function listHolds(
  { db }: Chat,
  app: string,
  { user, room, limit, cursor }: Input<typeof listing>['query'],
): Promise<Result<typeof listing>> {
  const cover = user === undefined ? (room === undefined ? undefined : coverOf(app, { room })) : coverOf(app, { user })
  const oneMore = await findHolds(db, app, { cover, before: parseCursor('holds', cursor), limit: limit + 1 })
  return toPage('holds', oneMore, limit, { view: toView, positionOf: positionByCreation })
}

/** Lifts a hold. Data that no other hold covers is soon removed. @throws ApiError HOLD_NOT_FOUND */
export async function liftHold(chat: Chat, app: string, id: string): Promise<Hold> {
  const lifted = await inTransaction(chat.db, async (session) => {
    const hold = await deleteHold(chat.db, app, id, session)
    if (!hold) throw new ApiError('HOLD_NOT_FOUND', `id: no hold ${JSON.stringify(id)}`)
    await sweepSoon(chat.db, app, session)
    await eraseWhatIsOwed(chat, hold, session)
    const { user, room, reason } = hold
    const subject = room === undefined ? { kind: 'user' as const, id: user ?? '' } : { kind: 'room' as const, id: room }
    chat.audit?.addDetails({ subject, before: { hold: id, reason } })
    await chat.audit?.write(chat.db, session)
    return hold
  })
  chat.audit?.committed()
  return toView(lifted)
}

/** Starts the erasures that the lifted hold was the last to stop. */
async function eraseWhatIsOwed({ db, jobs }: Chat, { app, owed = [] }: HoldDoc, session: Session): Promise<void> {
  const due: OwedErasure[] = []
  for (const one of owed) if (!(await oweErasure(db, app, one, session))) due.push(one)
  for (const ofJob of Map.groupBy(due, ({ job }) => job).values()) {
    const [{ user, content } = {}] = ofJob
    if (user === undefined || content === undefined) continue
    const rooms = ofJob.map(({ room, upToMS }) => ({ room, upToMS }))
    const job = { app, id: newId(), kind: 'erasure' as const, total: 0, done: 0, user, content, owed: rooms }
    await insertJob(db, job, jobs.worker, { session, leaseMS: 0 })
  }
}

function toView({ id, user, room, reason, createdAtMS }: HoldDoc): Hold {
  return { _id: id, ...(user !== undefined && { user }), ...(room !== undefined && { room }), reason, createdAtMS }
}
