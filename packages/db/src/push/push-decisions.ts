import type { IndexDescription } from 'mongodb'
import type { Db } from '../connect.ts'
import { key } from '../keys.ts'
import type { PushNetwork } from './pushes.ts'

/** Why a member got no push on any device. */
export const userReasons = [
  'SENDER',
  'NOT_A_MEMBER',
  'BANNED',
  'MUTED',
  'ROBOT',
  'BLOCKED',
  'NO_DEVICE',
  'CONNECTED',
] as const
export type UserReason = (typeof userReasons)[number]

/** The decision for a device: CONNECTED, NO_NETWORK (its network is not configured), or DUE. */
export const deviceDecisions = ['CONNECTED', 'NO_NETWORK', 'DUE'] as const
export type DeviceDecision = (typeof deviceDecisions)[number]

/** The reason for no push at all. */
export type MessageReason = 'DELETED' | 'LATE'

/**
 * The decisions about a message's pushes, for one page of the room's members: each of them is in it. Kept short,
 * because it is written for every message that may be pushed.
 */
export interface PushDecisionDoc {
  /** key(app, message, page) */
  _id: string
  at: Date
  all?: MessageReason
  /** Users by reason. */
  users?: { [R in UserReason]?: string[] }
  /** `deviceOf(user, device)` by decision. */
  devices?: { [D in DeviceDecision]?: string[] }
  /** With PUSH_GENERIC: the call, and the users that it names. */
  call?: string
  called?: string[]
}

/** The outcome of a push. */
export interface PushResult {
  user: string
  device: string
  network: PushNetwork
  /** `dead`: refused, and the token was removed. `dropped`: given up. */
  as: 'sent' | 'refused' | 'dead' | 'dropped'
  /** The network's name of the push. */
  id?: string
  reason?: string
  atMS: number
}

/** Several outcomes that came at about the same time, of one message. */
export interface PushResultsDoc {
  /** key(app, message, any) */
  _id: string
  at: Date
  results: PushResult[]
}

const keepSeconds = 7 * 24 * 60 * 60
export const pushDecisionIndexes: IndexDescription[] = [{ key: { at: 1 }, expireAfterSeconds: keepSeconds }]

/** A device of a user, in the lists of a decision. */
export const deviceOf = (user: string, device: string) => key(user, device)

/**
 * Neither is journaled: when the database dies, decisions of its last tenth of a second may be missing from
 * explanations, and nothing else.
 */
const lazily = { ordered: false, writeConcern: { w: 1, journal: false } } as const

/** Records decisions; those of an earlier delivery of the event are replaced. */
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

/** Everything that is kept of a message. */
const ofMessage = (content: string) => ({ $gt: `${content}\0`, $lt: `${content}\u0001` })

/** The decisions of a message that concern a user; with `isAny` whether there are any of the message at all. */
export async function findDecisions(
  db: Db,
  content: string,
  user: string,
): Promise<{ isAny: boolean; decisions: PushDecisionDoc[] }> {
  const devices = { $elemMatch: { $gte: `${user}\0`, $lt: `${user}\u0001` } }
  const decisions = await db.pushDecisions
    .find({
      _id: ofMessage(content),
      $or: [
        { all: { $exists: true } },
        { called: user },
        ...userReasons.map((reason) => ({ [`users.${reason}`]: user })),
        ...deviceDecisions.map((decision) => ({ [`devices.${decision}`]: devices })),
      ],
    })
    .toArray()
  const isAny = decisions.length > 0 || (await db.pushDecisions.findOne({ _id: ofMessage(content) })) !== null
  return { isAny, decisions }
}

/** The outcomes of a message's pushes to a user, by time. */
export async function findResults(db: Db, content: string, user: string): Promise<PushResult[]> {
  const found = await db.pushResults.find({ _id: ofMessage(content), 'results.user': user }).toArray()
  return found
    .flatMap(({ results }) => results)
    .filter((result) => result.user === user)
    .sort((a, b) => a.atMS - b.atMS)
}

/**
 * The number of members and devices per decision, and the outcomes of the pushes: at most two documents per 1,000
 * members.
 */
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
        { $match: { _id: ofMessage(content) } },
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
      { $match: { _id: ofMessage(content) } },
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
