import { inParts, readInParts } from '@parley/async/in-parts'
import { reportStatus } from '@parley/contracts/resources/report'
import { findAuditEntries } from '@parley/db/audit/audit-log'
import type { Db } from '@parley/db/connect'
import type { PagePosition } from '@parley/db/find-page'
import { type AppUser, idsOf, key } from '@parley/db/keys'
import { perBucket } from '@parley/db/message-buckets/buckets'
import type { SavedMessageDoc } from '@parley/db/messages/documents'
import { findMessagesOfSender, findRoomsOfSender } from '@parley/db/messages/messages-of-sender'
import { findReactedBy } from '@parley/db/messages/reactions-of-user'
import { findSavedPage, type SavedIn } from '@parley/db/messages/saved-messages'
import { findScheduledPage } from '@parley/db/messages/scheduled'
import { findDeletionsOf } from '@parley/db/messages/user-deletions'
import { findReports } from '@parley/db/moderation/reports'
import { flushRooms } from '@parley/db/room-buffer/flush'
import { findBansOfUser } from '@parley/db/rooms/bans'
import { findInvitationsOf } from '@parley/db/rooms/invitations'
import { findMembershipsByKey } from '@parley/db/rooms/memberships'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { findRoomIdsOfUser } from '@parley/db/rooms/rooms-of-users'
import { findRootsOfThreads, threadsOfUser } from '@parley/db/threads/thread-members'
import { findBlocksOfUser } from '@parley/db/users/blocks'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import { findPrefs } from '@parley/db/users/prefs'
import { findUser } from '@parley/db/users/users'
import { activeTokensOf, tokenView } from '../access/tokens.ts'
import { toAuditView } from '../audit/list-audit.ts'
import type { Chat } from '../chat.ts'
import { toReportView } from '../views/report.ts'
import {
  appBanLines,
  banLine,
  blockLine,
  bookmarkLine,
  connectionLine,
  deletionLine,
  deviceLine,
  invitationLine,
  membershipLine,
  messageLine,
  prefLine,
  reminderLine,
  roomLine,
  scheduledLine,
  threadLine,
  userLine,
} from './lines.ts'

interface Page {
  lines: string[]
  after: string
}

type ExportParts = Pick<Chat, 'db' | 'issuers'>

/** Yields the lines of one kind after a position. */
type Stage = (chat: ExportParts, of: AppUser, after?: string) => AsyncGenerator<Page>

const perPage = 200
/** Each message may have 64 KiB. */
const messagesPerPage = 16 * perBucket
/** Each preference may have 16 KiB. */
const prefsPerPage = 50
const maxAtOnce = 10_000

async function* profile({ db }: ExportParts, { app, user }: AppUser): AsyncGenerator<Page> {
  const found = await findUser(db, app, user)
  const devices = await findDevicesOfUsers(db, app, [user])
  const bans = await findBansOfUser(db, app, user, maxAtOnce)
  const blocks = await findBlocksOfUser(db, app, user, { skip: 0, limit: maxAtOnce })
  const lines = [
    ...(found ? [userLine(found), ...appBanLines(found)] : []),
    ...devices.map(deviceLine),
    ...bans.map(banLine),
    ...blocks.map(blockLine),
  ]
  yield { lines, after: 'end' }
}

async function* connection({ db }: ExportParts, { app, user }: AppUser): AsyncGenerator<Page> {
  const found = await findUser(db, app, user)
  yield { lines: found ? [connectionLine(found)] : [], after: 'end' }
}

async function* prefs({ db }: ExportParts, { app, user }: AppUser, after = '0'): AsyncGenerator<Page> {
  for (let skip = Number(after); ; skip += prefsPerPage) {
    const found = await findPrefs(db, app, user, { skip, limit: prefsPerPage })
    yield { lines: found.map((pref) => prefLine(user, pref)), after: String(skip + found.length) }
    if (found.length < prefsPerPage) return
  }
}

async function* rooms({ db }: ExportParts, { app, user }: AppUser, after = ''): AsyncGenerator<Page> {
  const ids = (await findRoomIdsOfUser(db, app, user)).filter((id) => id > after).toSorted()
  for (const part of inParts(ids, perPage)) {
    const keys = part.map((id) => key(app, id))
    const found = await findRoomsByKey(db, keys)
    const memberKeys = part.map((id) => key(app, id, user))
    const memberships = await findMembershipsByKey(db, memberKeys)
    const gone = new Map(found.map(({ id, goneUpToSeq }) => [id, goneUpToSeq]))
    const lines = [
      ...found.map((room) => roomLine(room, { own: true })),
      ...memberships.map((membership) => membershipLine(membership, gone.get(membership.room))),
    ]
    yield { lines, after: part.at(-1) ?? '' }
  }
}

/** A position in the user's threads, or in the rooms that they have written in. */
type RoomPosition = [kind: 'thread' | 'room', roomKey: string, seq: number]

const firstPosition = JSON.stringify(['thread', '', 0] satisfies RoomPosition)

async function* positionsOf(db: Db, { app, user }: AppUser, from: RoomPosition): AsyncGenerator<RoomPosition> {
  const [kind, fromKey, fromSeq] = from
  const seqOf = (roomKey: string) => (roomKey === fromKey ? fromSeq : 0)
  if (kind === 'thread') {
    for await (const { roomKey } of threadsOfUser(db, app, user, fromKey)) yield ['thread', roomKey, seqOf(roomKey)]
  }
  if (kind === 'room' && fromKey !== '') yield from
  let afterRoom = kind === 'room' && fromKey !== '' ? fromKey : undefined
  do {
    const { rooms, next } = await findRoomsOfSender(db, app, user, afterRoom, perPage)
    await flushRooms(db, idsOf(rooms))
    for (const { _id } of rooms) yield ['room', _id, 0]
    afterRoom = next
  } while (afterRoom !== undefined)
}

async function* messages({ db }: ExportParts, of: AppUser, after = firstPosition): AsyncGenerator<Page> {
  for await (const [kind, roomKey, fromSeq] of positionsOf(db, of, JSON.parse(after) as RoomPosition)) {
    for (let from: number | undefined = fromSeq; from !== undefined; ) {
      const page = { afterSeq: from, limit: messagesPerPage }
      const { messages: found, next } = await findMessagesOfSender(db, roomKey, of.user, page)
      const afterSeq = next ?? found.at(-1)?.seq ?? from
      from = next
      yield { lines: found.map(messageLine), after: JSON.stringify([kind, roomKey, afterSeq] satisfies RoomPosition) }
    }
  }
}

/** Yields all documents that `find` finds after a position, page by page. */
function paged<T, Position>(
  find: (db: Db, of: AppUser, after: Position | undefined) => Promise<T[]>,
  positionOf: (last: T) => Position,
  toLines: (found: T[], of: AppUser, db: Db) => string[] | Promise<string[]>,
): Stage {
  return async function* ({ db }, of, given) {
    let after = given === undefined ? undefined : (JSON.parse(given) as Position)
    for (let isLast = false; !isLast; ) {
      const found = await find(db, of, after)
      isLast = found.length < perPage
      const last = found.at(-1)
      if (last !== undefined) after = positionOf(last)
      yield { lines: await toLines(found, of, db), after: JSON.stringify(after) }
    }
  }
}

const reactions = paged(
  (db, of, after?: string) => findReactedBy(db, of, { after: after ?? '', limit: perPage }),
  ({ _id }) => _id,
  (found, { user }) =>
    found.map(({ _id: message, room, reactions: given = [] }) => {
      const own = given.filter(({ client }) => client === user).map(({ reaction }) => reaction)
      return JSON.stringify({ room, message, reactions: own })
    }),
)

async function* threads({ db }: ExportParts, { app, user }: AppUser, after = ''): AsyncGenerator<Page> {
  for await (const part of readInParts(threadsOfUser(db, app, user, after), perPage)) {
    const roots = await findRootsOfThreads(db, part)
    const lines = part.map((thread) => threadLine(thread, roots.get(thread.roomKey)?.thread.goneUpToSeq))
    // The least key after this one.
    yield { lines, after: `${part.at(-1)?.roomKey}\0` }
  }
}

const deletions = paged(
  (db, of, after?: string) => findDeletionsOf(db, of, after ?? '', perPage),
  ({ _id }) => _id,
  async (found, { app }, db) => {
    const keys = [...new Set(found.map(({ room }) => key(app, room)))]
    const gone = new Map((await findRoomsByKey(db, keys)).map(({ id, goneUpToSeq = 0 }) => [id, goneUpToSeq]))
    return found.flatMap((deletion) => {
      const upToSeq = deletion.seq - (gone.get(deletion.room) ?? 0)
      return deletion.message === '' && upToSeq <= 0 ? [] : [deletionLine(deletion.room, deletion, upToSeq)]
    })
  },
)

const invitations = paged(
  (db, of, after?: string) => findInvitationsOf(db, of, after, perPage),
  ({ id }) => id,
  (found) => found.map(invitationLine),
)

async function* tokens(chat: ExportParts, of: AppUser): AsyncGenerator<Page> {
  const found = await activeTokensOf(chat, of)
  yield { lines: found.map((token) => JSON.stringify(tokenView(token))), after: 'end' }
}

const scheduled = paged(
  (db, { app, user: sender }, after?: PagePosition) =>
    findScheduledPage(db, { app, sender }, { after, limit: perPage }),
  ({ sendAtMS: atMS, id }): PagePosition => ({ atMS, id }),
  (found) => found.map(scheduledLine),
)

const saved = (list: SavedIn, line: (saved: SavedMessageDoc) => string) =>
  paged(
    (db, of, after?: PagePosition) => findSavedPage(db, list, of, { after, limit: perPage }),
    ({ atMS, message: id }): PagePosition => ({ atMS, id }),
    (found) => found.map(line),
  )

/** Reports of the user's messages without the reporters, or the user's own reports. */
const reports = (as: 'sender' | 'reporter') =>
  paged(
    (db, { app, user }, before?: PagePosition) =>
      findReports(db, { app, statuses: reportStatus.options, [as]: user }, { before, limit: perPage }),
    ({ createdAtMS: atMS, id }): PagePosition => ({ atMS, id }),
    (found, { user }) =>
      found.map((report) => {
        const { reasons, count: _count, ...about } = toReportView(report)
        if (as === 'sender') return JSON.stringify({ as, ...about })
        const { message: _message, sender: _sender, ...known } = about
        return JSON.stringify({ as, ...known, reasons: reasons.filter(({ client }) => client === user) })
      }),
  )

const audit = paged(
  (db, { app, user }, before?: PagePosition) => {
    const page = { sinceMS: 0, untilMS: Number.MAX_SAFE_INTEGER, before, limit: perPage }
    return findAuditEntries(db, app, { subject: `user:${user}` }, page)
  },
  ({ atMS, id }): PagePosition => ({ atMS, id }),
  (found) => found.map((entry) => JSON.stringify(toAuditView(entry))),
)

/** `others`: contains actions of others, which the user's own export omits. */
const stages: readonly { entry: string; stage: Stage; others?: true }[] = [
  ...[profile, prefs, rooms, messages].map((stage) => ({ entry: 'import.ndjson', stage })),
  { entry: 'reactions.ndjson', stage: reactions },
  { entry: 'tokens.ndjson', stage: tokens },
  { entry: 'connection.ndjson', stage: connection },
  { entry: 'scheduled.ndjson', stage: scheduled },
  { entry: 'reminders.ndjson', stage: saved('reminders', reminderLine) },
  { entry: 'bookmarks.ndjson', stage: saved('bookmarks', bookmarkLine) },
  { entry: 'reports.ndjson', stage: reports('sender'), others: true },
  { entry: 'reports.ndjson', stage: reports('reporter') },
  { entry: 'audit.ndjson', stage: audit, others: true },
  { entry: 'threads.ndjson', stage: threads },
  { entry: 'deletions.ndjson', stage: deletions },
  { entry: 'invitations.ndjson', stage: invitations },
]

export interface ExportPosition {
  stage: number
  after?: string
}

/**
 * Everything about a user after a position, as lines for the files of the export.
 * @param own for the user themselves
 */
export async function* linesOfUser(
  chat: ExportParts,
  of: AppUser,
  from: ExportPosition,
  own = false,
): AsyncGenerator<{ entry: string; lines: string[]; position: ExportPosition }> {
  for (const [number, { entry, stage, others }] of stages.entries()) {
    if (number < from.stage || (own && others)) continue
    const after = number === from.stage ? from.after : undefined
    // The stage had a single page, which is done.
    if (after === 'end') continue
    for await (const page of stage(chat, of, after)) {
      yield { entry, lines: page.lines, position: { stage: number, after: page.after } }
    }
  }
}
