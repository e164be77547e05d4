import { clock } from '@parley/async/clock'
import type { Filter, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { findPage, findTimePage, type PagePosition, type TimePage } from '../find-page.ts'
import { key } from '../keys.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { isServerError } from '../server-errors.ts'
import type { ReportDoc } from './documents.ts'

export const reportIndexes: IndexDescription[] = [
  { key: { app: 1, status: 1, createdAtMS: -1, id: -1 } },
  { key: { roomKey: 1, status: 1, createdAtMS: -1, id: -1 } },
  { key: { app: 1, id: 1 } },
  { key: { senderKey: 1, createdAtMS: -1, id: -1 } },
  { key: { 'reporters.userKey': 1, createdAtMS: -1, id: -1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
]

/** A report is kept this long after the last reporter, and again after the decision. */
export const keptMS = 30 * 24 * 60 * 60 * 1_000
/** Keeps the document far below MongoDB's size limit. */
const maxReporters = 200
const reasonsShown = 20

type Reported = Pick<
  MessageDoc,
  '_id' | 'app' | 'room' | 'sender' | 'messageType' | 'createdAtMS' | 'content' | 'threadOf'
>

/**
 * Adds a user's report of a message, unless the user has already reported it. Reopens a decided report. Beyond
 * `maxReporters`, a new reporter only extends an open report, and replaces the oldest reporter of a decided one.
 */
export async function addReport(
  db: Db,
  message: Reported,
  { id, user, reason }: { id: string; user: string; reason: string },
): Promise<void> {
  const { app, room, sender, messageType, createdAtMS: messageTimeMS, content, threadOf } = message
  const now = clock.now()
  const userKey = key(app, user)
  const fixed = {
    app,
    id,
    message: message._id,
    room,
    ...(threadOf !== undefined && { threadOf }),
    roomKey: key(app, room),
    sender,
    senderKey: key(app, sender),
    messageTimeMS,
  }
  const first = { ...fixed, messageType, createdAtMS: now, ...(content !== undefined && { content }) }
  const kept = Object.entries(first).map(([name, $literal]) => [name, { $ifNull: [`$${name}`, { $literal }] }])
  const reporter = { client: user, userKey, reason, atMS: now }
  const reporters = { $ifNull: ['$reporters', []] }
  const isFull = { $and: [{ $eq: ['$status', 'open'] }, { $gte: [{ $size: reporters }, maxReporters] }] }
  const withReporter = { $slice: [{ $concatArrays: [reporters, [{ $literal: reporter }]] }, -maxReporters] }
  const add = (upsert: boolean) =>
    db.reports.updateOne(
      { _id: key(app, message._id), 'reporters.userKey': { $ne: userKey } },
      [
        {
          $set: {
            ...Object.fromEntries(kept),
            reporters: { $cond: [isFull, reporters, withReporter] },
            count: { $min: [{ $add: [{ $ifNull: ['$count', 0] }, 1] }, maxReporters] },
            status: 'open',
            updatedAtMS: now,
            expiresAt: new Date(now + keptMS),
          },
        },
        { $unset: ['decision', 'decidedAtMS'] },
      ],
      { upsert },
    )
  try {
    await add(true)
  } catch (error) {
    if (!isServerError(error, 'DuplicateKey')) throw error
    // The report exists: the filter excluded this user, or another user's report created it concurrently.
    await add(false)
  }
}

/** Limits the result to the latest reasons. */
export const shown = { projection: { reporters: { $slice: -reasonsShown } } } as const

export async function findReport(db: Db, app: string, id: string): Promise<ReportDoc | null> {
  return db.reports.findOne({ app, id }, shown)
}

interface ReportsWanted {
  app: string
  statuses: readonly ReportDoc['status'][]
  /** At most one of `room`, `sender` and `reporter` is set. */
  room?: string | undefined
  sender?: string | undefined
  reporter?: string | undefined
}

function reportsOf(
  app: string,
  { room, sender, reporter }: Omit<ReportsWanted, 'app' | 'statuses'>,
): Filter<ReportDoc> {
  if (room !== undefined) return { roomKey: key(app, room) }
  if (sender !== undefined) return { senderKey: key(app, sender) }
  return reporter === undefined ? { app } : { 'reporters.userKey': key(app, reporter) }
}

/** A page of reports, newest first, each with its latest reasons. */
export async function findReports(
  db: Db,
  { app, statuses, ...named }: ReportsWanted,
  { before, limit }: { before?: PagePosition | undefined; limit: number },
): Promise<ReportDoc[]> {
  const of = { ...reportsOf(app, named), status: { $in: [...statuses] } }
  return findPage(db.reports, of, { time: 'createdAtMS', id: 'id', order: -1 }, { after: before, limit }, shown)
}

/** A page of reports of a room, of a sender or by a reporter, optionally in one room, latest first. */
export async function findReportsAbout(
  db: Db,
  app: string,
  of: { room: string } | { sender: string; in?: string | undefined } | { reporter: string; in?: string | undefined },
  page: TimePage,
): Promise<ReportDoc[]> {
  const filter: Filter<ReportDoc> =
    'room' in of
      ? { roomKey: key(app, of.room), status: { $in: ['open', 'decided'] } }
      : 'sender' in of
        ? { senderKey: key(app, of.sender), ...(of.in !== undefined && { room: of.in }) }
        : { 'reporters.userKey': key(app, of.reporter), ...(of.in !== undefined && { room: of.in }) }
  const projection = { content: 0, ...shown.projection }
  return findTimePage(db.reports, filter, { time: 'createdAtMS', id: 'id' }, page, { projection })
}

/** Removes a user's data from reports: the content of the user's messages, and the user's reasons. */
export async function forgetReporter(db: Db, app: string, user: string): Promise<void> {
  const userKey = key(app, user)
  await db.reports.updateMany({ senderKey: userKey }, { $unset: { content: 1 } })
  await db.reports.updateMany({ 'reporters.userKey': userKey }, { $pull: { reporters: { userKey } } })
}
