import type { IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { keyRange } from '../keys.ts'
import {
  deviceDecisions,
  type MessageReason,
  type PushDecisionDoc,
  type PushResult,
  type PushResultsDoc,
  userReasons,
} from './documents.ts'

const keepSeconds = 7 * 24 * 60 * 60
export const pushDecisionIndexes: IndexDescription[] = [{ key: { at: 1 }, expireAfterSeconds: keepSeconds }]

/** Not journaled: after a database crash, only explanations of pushes from its last 100 ms can be missing. */
const lazily = { ordered: false, writeConcern: { w: 1, journal: false } } as const

/** Records decisions, replacing those of an earlier delivery of the event. */
export async function recordDecisions(db: Db, decisions: readonly PushDecisionDoc[]): Promise<void> {
  if (decisions.length === 0) return
  await db.pushDecisions.bulkWrite(
    decisions.map((decision) => ({
      replaceOne: { filter: { _id: decision._id }, replacement: decision, upsert: true },
    })),
    lazily,
  )
}

export async function recordResults(db: Db, results: readonly PushResultsDoc[]): Promise<void> {
  if (results.length > 0) await db.pushResults.insertMany([...results], lazily)
}

const concerning = (user: string) => {
  const devices = { $elemMatch: keyRange(user) }
  return [
    { all: { $exists: true } },
    { called: user },
    ...userReasons.map((reason) => ({ [`users.${reason}`]: user })),
    ...deviceDecisions.map((decision) => ({ [`devices.${decision}`]: devices })),
  ]
}

/** The decisions about messages that concern a user. One query. */
export async function findDecisionsAbout(
  db: Db,
  contents: readonly string[],
  user: string,
): Promise<PushDecisionDoc[]> {
  if (contents.length === 0) return []
  const of = contents.map((content) => ({ _id: keyRange(content) }))
  return db.pushDecisions.find({ $and: [{ $or: of }, { $or: concerning(user) }] }).toArray()
}

/** The outcomes of messages' pushes to a user. One query. */
export async function findResultsAbout(
  db: Db,
  contents: readonly string[],
  user: string,
): Promise<{ content: string; result: PushResult }[]> {
  if (contents.length === 0) return []
  const of = contents.map((content) => ({ _id: keyRange(content) }))
  const found = await db.pushResults.find({ $or: of, 'results.user': user }).toArray()
  return found.flatMap(({ _id, results }) =>
    results.filter((one) => one.user === user).map((result) => ({ content: contentOf(_id), result })),
  )
}

/** The key(app, message) of a decision's or outcome's `_id`. */
export function contentOf(id: string): string {
  return id.slice(0, id.lastIndexOf('\0'))
}

/** The decisions about a message that concern a user. `isAny`: the message has any decisions. */
export async function findDecisions(
  db: Db,
  content: string,
  user: string,
): Promise<{ isAny: boolean; decisions: PushDecisionDoc[] }> {
  const decisions = await findDecisionsAbout(db, [content], user)
  const isAny = decisions.length > 0 || (await db.pushDecisions.findOne({ _id: keyRange(content) })) !== null
  return { isAny, decisions }
}

export async function findResults(db: Db, content: string, user: string): Promise<PushResult[]> {
  const found = await findResultsAbout(db, [content], user)
  return found.map(({ result }) => result).sort((a, b) => a.atMS - b.atMS)
}

/** The members and devices per decision, and pushes per outcome. Reads about two documents per 1,000 members. */
export async function countDecisions(
  db: Db,
  content: string,
): Promise<{ recorded: boolean } & Record<'members' | 'devices' | 'results', Record<string, number>>> {
  const count = (into: Record<string, number>, name: string, by: number) => {
    if (by > 0) into[name] = (into[name] ?? 0) + by
  }
  const sizes = (names: readonly string[], path: string) =>
    Object.fromEntries(names.map((name) => [name, { $size: { $ifNull: [`$${path}.${name}`, []] } }]))
  const pages = await db.pushDecisions
    .aggregate<{ all?: MessageReason; users: Record<string, number>; devices: Record<string, number>; called: number }>(
      [
        { $match: { _id: keyRange(content) } },
        {
          $project: {
            all: 1,
            users: sizes(userReasons, 'users'),
            devices: sizes(deviceDecisions, 'devices'),
            called: { $size: { $ifNull: ['$called', []] } },
          },
        },
      ],
    )
    .toArray()
  const results = await db.pushResults
    .aggregate<{ _id: string; count: number }>([
      { $match: { _id: keyRange(content) } },
      { $unwind: '$results' },
      { $group: { _id: '$results.as', count: { $sum: 1 } } },
    ])
    .toArray()
  const counted = { recorded: pages.length > 0, members: {}, devices: {}, results: {} }
  for (const { all, users, devices, called } of pages) {
    for (const [reason, by] of Object.entries(users)) count(counted.members, reason, by)
    for (const [decision, by] of Object.entries(devices)) count(counted.devices, decision, by)
    count(counted.devices, 'CALLED', called)
    if (all !== undefined) count(counted.members, all, 1)
  }
  for (const { _id, count: by } of results) count(counted.results, _id, by)
  return counted
}
