import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { TimelineKind } from '@parley/contracts/resources/timeline-entry'
import { findAuditEntries } from '@parley/db/audit/audit-log'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import { findMessagesOfRooms } from '@parley/db/messages/messages-of-rooms'
import { findRefused } from '@parley/db/messages/scheduled'
import { findReportsAbout } from '@parley/db/moderation/reports'
import { findCalls } from '@parley/db/push/call-history'
import { findBansBegun } from '@parley/db/rooms/bans'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findJoined, type TracedMembership } from '@parley/db/rooms/memberships'
import type { UserDoc } from '@parley/db/users/documents'
import { findTokensOfUser } from '@parley/db/users/tokens'
import { keyFingerprint } from '../access/new-token.ts'
import type { Positioned, Source } from './merge-sources.ts'
import type { TimelineRecord } from './records.ts'

type StoredSource = Source<TimelineRecord> & { kind: TimelineKind }

export interface Traced {
  app: string
  /** The room of the query, or the user's rooms with the latest messages. */
  rooms: readonly Pick<RoomDoc, '_id' | 'id' | 'deletedUpToSeq' | 'deletedUpToMS'>[]
  room?: string | undefined
  user?: UserDoc | undefined
  memberships: readonly TracedMembership[]
}

const maxTokens = 100

/** The sources in the database, each read through one index, and only as many entries as a page has. */
export function storedSources(db: Db, traced: Traced): StoredSource[] {
  const { app, user, room } = traced
  return [
    messages(db, traced),
    calls(db, traced),
    ...(user ? ofUser(db, traced, user) : []),
    ...(room === undefined || user ? [] : ofRoom(db, app, room)),
    ...[user && `user:${user.id}`, room !== undefined && `room:${room}`].flatMap((subject) =>
      typeof subject === 'string' ? [audit(db, app, subject)] : [],
    ),
  ]
}

function messages(db: Db, { rooms, user, memberships }: Traced): StoredSource {
  const byKey = new Map(rooms.map((room) => [room._id, room]))
  const markers = new Map(memberships.map((membership) => [membership.room, membership]))
  return source('message', async (page) => {
    const found = await findMessagesOfRooms(db, [...byKey.keys()], page)
    return found.map((stored) => {
      const isDeleted = isDeletedIn(stored, byKey.get(stored.roomKey) ?? {})
      const message = { ...stored, ...(isDeleted && { isDeleted }) }
      const { readSeq, deliveredSeq } = markers.get(message.room) ?? {}
      const reader = user && { user: user.id, ...defined({ readSeq, deliveredSeq }) }
      return at(message.createdAtMS, message._id, { of: 'message', message, ...(reader && { reader }) })
    })
  })
}

function calls(db: Db, { app, rooms }: Traced): StoredSource {
  return source('call', async (page) => {
    const ids = rooms.map(({ id }) => id)
    const found = await findCalls(db, app, ids, page)
    return found.map((call) => at(call.createdAtMS, call._id, { of: 'call', call }))
  })
}

function ofUser(db: Db, { app, memberships, room }: Traced, user: UserDoc): StoredSource[] {
  const { id, ban, lastLoginTimeMS, lastSeenMS } = user
  const report = (role: 'sender' | 'reporter') =>
    source('report', async (page) => {
      const of = role === 'sender' ? { sender: id, in: room } : { reporter: id, in: room }
      const found = await findReportsAbout(db, app, of, page)
      return found.map((one) => {
        const by = role === 'reporter' ? one.reporters.find(({ client }) => client === id) : undefined
        return at(one.createdAtMS, one.id, { of: 'report', report: one, ...(by && { by }) })
      })
    })
  return [
    source('refusal', async (page) => {
      const found = await findRefused(db, { app, sender: id, room }, page)
      return found.map((scheduled) => at(scheduled.sendAtMS, scheduled.id, { of: 'refused', scheduled }))
    }),
    source('token', async () => {
      const tokens = await findTokensOfUser(db, app, id, maxTokens)
      const tokenRecords = tokens.flatMap(({ digest, createdAt, lastUsedAt, expiresAt }) => {
        const fingerprint = keyFingerprint(digest)
        const isOver = expiresAt.getTime() <= clock.now()
        const times = [
          ['issued', createdAt] as const,
          ['used', lastUsedAt] as const,
          ['expired', isOver ? expiresAt : undefined] as const,
        ]
        return times.flatMap(([what, time]) => {
          const atMS = time?.getTime()
          return atMS === undefined ? [] : [at(atMS, `${what} ${digest}`, { of: 'token', what, atMS, fingerprint })]
        })
      })
      return tokenRecords
    }),
    source('connection', async () => [
      ...(lastLoginTimeMS > 0 ? [at(lastLoginTimeMS, 'login', { of: 'last login', user })] : []),
      ...(lastSeenMS === undefined ? [] : [at(lastSeenMS, 'seen', { of: 'last seen', atMS: lastSeenMS })]),
    ]),
    source('read', async () =>
      memberships.flatMap((membership) => {
        const { markerSetAtMS: atMS, room: of } = membership
        return atMS === undefined ? [] : [at(atMS, of, { of: 'read', membership, atMS })]
      }),
    ),
    source('membership', async () =>
      memberships.map((membership) => at(membership.joinedAtMS, membership.room, { of: 'joined', membership })),
    ),
    source('ban', async (page) => {
      const found = await findBansBegun(db, app, { blockee: id, room }, page)
      return found.map((one) => at(one.createdAt.getTime(), one.room, { of: 'ban', ban: one }))
    }),
    source('ban', async () => (ban ? [at(ban.atMS, 'app', { of: 'app ban', user: id, ban })] : [])),
    report('sender'),
    report('reporter'),
  ]
}

function ofRoom(db: Db, app: string, room: string): StoredSource[] {
  return [
    source('membership', async (page) => {
      const found = await findJoined(db, key(app, room), page)
      return found.map((membership) => at(membership.joinedAtMS, membership._id, { of: 'joined', membership }))
    }),
    source('ban', async (page) => {
      const found = await findBansBegun(db, app, { room }, page)
      return found.map((ban) => at(ban.createdAt.getTime(), ban.blockee, { of: 'ban', ban }))
    }),
    source('report', async (page) => {
      const found = await findReportsAbout(db, app, { room }, page)
      return found.map((report) => at(report.createdAtMS, report.id, { of: 'report', report }))
    }),
  ]
}

function audit(db: Db, app: string, subject: string): StoredSource {
  return source('audit', async (page) => {
    const entries = await findAuditEntries(db, app, { subject }, page)
    return entries.map((entry) => at(entry.atMS, entry.id, { of: 'audit', entry }))
  })
}

function source(kind: TimelineKind, read: Source<TimelineRecord>['read']): StoredSource {
  return { kind, read }
}

function at(atMS: number, id: string, record: TimelineRecord): Positioned<TimelineRecord> {
  return { atMS, id, record }
}
