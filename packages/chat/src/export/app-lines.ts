import { inParts, readInParts } from '@parley/async/in-parts'
import { findConfig } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'
import { key, keyRange } from '@parley/db/keys'
import { findBySeq } from '@parley/db/message-buckets/find-messages'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { flushRooms } from '@parley/db/room-buffer/flush'
import { findBansOfRoom } from '@parley/db/rooms/bans'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { rootOf } from '@parley/db/threads/thread-members'
import { inSnapshot } from '@parley/db/transactions/snapshot'
import { findUsers } from '@parley/db/users/users'
import { KnownIds, messageHash } from '../import/known-ids.ts'
import { withField } from '../views/json-text.ts'
import type { ExportedFiles } from './exported-files.ts'
import {
  appBanLines,
  banLine,
  blockLine,
  deletionLine,
  deviceLine,
  groupLine,
  holdLine,
  invitationLine,
  type LeftOut,
  membershipLine,
  messageLine,
  prefLine,
  reportLine,
  roomLine,
  threadLine,
  userLine,
} from './lines.ts'
import { SavedMessages } from './saved-lines.ts'

const perPage = 500

/**
 * A whole app as lines for `parley import`: users, groups, rooms with their members and messages, settings. Runs while
 * the app is in use; concurrent changes may or may not be included.
 * @param files copies the files of messages; without it, their lines have none
 */
export async function* linesOfApp(
  db: Db,
  app: string,
  leftOut: LeftOut,
  files?: ExportedFiles,
): AsyncGenerator<string> {
  const ofApp = { _id: keyRange(app) }
  const users = new Set<string>()
  const named = new Set<string>()
  for await (const user of db.users.find({ ...ofApp, groupMembers: { $exists: false } })) {
    users.add(user.id)
    yield userLine(user)
    yield* appBanLines(user)
  }
  for await (const group of db.users.find({ ...ofApp, groupMembers: { $exists: true } })) {
    for (const user of group.groupMembers ?? []) named.add(user)
    yield groupLine(group)
  }
  const saved = new SavedMessages(db, app)
  await saved.prepare()
  const rooms = db.rooms.find({ ...ofApp, id: { $exists: true }, deletedAt: { $exists: false } })
  for await (const { _id } of rooms.project<Pick<RoomDoc, '_id'>>({ _id: 1 })) {
    yield* linesOfRoom(db, _id, { named, saved, leftOut, files })
  }
  for await (const { users, line } of saved.lines(leftOut, files)) {
    for (const user of users) named.add(user)
    yield line
  }
  for await (const hold of db.holds.find(ofApp)) yield holdLine(hold)
  for await (const block of db.blocks.find(ofApp)) {
    for (const user of [block.blocker, block.blockee]) named.add(user)
    yield blockLine(block)
  }
  // Subscriptions of browsers accept only pushes signed with the app's key (RFC 8292, 4.2), which the copy does not have.
  for await (const device of db.devices.find({ ...ofApp, type: { $ne: 'web' } })) {
    named.add(device.user)
    yield deviceLine(device)
  }
  for await (const pref of db.prefs.find(ofApp)) {
    const user = pref.userKey.slice(app.length + 1)
    named.add(user)
    yield prefLine(user, pref)
  }
  for (const { name, json } of await findConfig(db, app)) yield withField({ type: 'config', key: name }, 'data', json)
  const others = [...named].filter((user) => !users.has(user))
  for (const part of inParts(others, perPage)) {
    const created = await findUsers(db, app, part)
    for (const user of part) {
      const found = created.get(user)
      yield found ? userLine(found) : JSON.stringify({ type: 'user', _id: user, erased: true })
      if (found) yield* appBanLines(found)
    }
  }
}

interface Gathered {
  named: Set<string>
  saved: SavedMessages
  leftOut: LeftOut
  files: ExportedFiles | undefined
}

async function* linesOfRoom(db: Db, roomKey: string, gathered: Gathered): AsyncGenerator<string> {
  const { named, saved, leftOut, files } = gathered
  // In one snapshot, since an import refuses a room with an owner outside it.
  const { room, members } = await inSnapshot(db, async (session) => ({
    room: await db.rooms.findOne({ _id: roomKey }, { session, projection: { buffer: 0 } }),
    members: await db.memberships.find({ roomKey }, { session }).toArray(),
  }))
  if (!room || room.deletedAt) return
  saved.recordRoom(room.id)
  yield roomLine(room)
  for (const member of members) {
    named.add(member.user)
    yield membershipLine(member, room.goneUpToSeq)
  }
  await flushRooms(db, [roomKey])
  const exported: Exported = { ids: new KnownIds(), count: 0, threads: new Map() }
  for await (const page of readInParts(messagesOf(db, room, exported, leftOut), perPage)) {
    if (!files) leftOut.files += page.filter(({ attachments }) => attachments).length
    const ofFiles = await files?.linesOf(page.flatMap(({ attachments = [] }) => attachments))
    for (const owner of ofFiles?.owners ?? []) named.add(owner)
    yield* ofFiles?.lines ?? []
    for (const { attachments, ...message } of page) {
      for (const user of [message.sender, ...(message.reactions ?? []).map(({ client }) => client)]) named.add(user)
      saved.record(message)
      yield messageLine({ ...message, ...(files && attachments && { attachments }) })
    }
  }
  const { app, id, goneUpToSeq = 0 } = room
  for await (const member of db.threadMembers.find({ _id: keyRange(roomKey) })) {
    const { gone = 0, count = 0 } = exported.threads.get(rootOf(member.roomKey)) ?? {}
    if (count === 0) continue
    named.add(member.user)
    yield threadLine(member, gone, count)
  }
  for await (const deletion of db.userDeletions.find({ _id: keyRange(roomKey) })) {
    const { user, message, seq } = deletion
    const upToSeq = Math.min(seq - goneUpToSeq, exported.count)
    if (message === '' ? upToSeq <= 0 : !exported.ids.has(messageHash(app, id, message))) continue
    named.add(user)
    yield deletionLine(id, deletion, upToSeq)
  }
  for (const ban of await findBansOfRoom(db, app, id, { skip: 0 })) {
    named.add(ban.blockee)
    yield banLine(ban)
  }
  for await (const invitation of db.invitations.find({ _id: keyRange(roomKey) })) {
    for (const user of [invitation.invitee, invitation.inviter]) if (user !== '') named.add(user)
    yield invitationLine(invitation)
  }
  for await (const report of db.reports.find({ roomKey, status: { $in: ['open', 'decided'] } })) {
    for (const user of [report.sender, ...report.reporters.map(({ client }) => client)]) named.add(user)
    yield reportLine(report)
  }
}

interface Exported {
  ids: KnownIds
  /** Their number, except those of threads. */
  count: number
  /** By ID of the root: the number of exported messages, and up to which seq retention has removed earlier ones. */
  threads: Map<string, { count: number; gone: number }>
}

/** The current messages of a room and its threads by time, so that roots precede their threads. */
async function* messagesOf(db: Db, room: RoomDoc, exported: Exported, leftOut: LeftOut): AsyncGenerator<MessageDoc> {
  const { app, id, goneUpToSeq = 0 } = room
  const ofThreads = db.messages.find({ app, room: id, threadOf: { $exists: true } }).sort({ createdAtMS: 1, _id: 1 })
  const inThreads = ofThreads[Symbol.asyncIterator]()
  let next = await inThreads.next()
  async function* threadsUntil(atMS: number): AsyncGenerator<MessageDoc> {
    for (; !next.done && next.value.createdAtMS < atMS; next = await inThreads.next()) {
      if (isKnown(next.value.threadOf)) yield shown(next.value)
      else leftOut.messages++
    }
  }
  const isKnown = (other = '') => exported.ids.has(messageHash(app, id, other))
  const shown = (message: MessageDoc): MessageDoc => {
    const { replyTo, ...rest } = currentMessage(message, room)
    exported.ids.add(messageHash(app, id, rest._id))
    if (rest.thread) exported.threads.set(rest._id, { count: 0, gone: rest.thread.goneUpToSeq ?? 0 })
    const thread = exported.threads.get(rest.threadOf ?? '')
    if (thread) thread.count++
    // Retention may have removed the quoted message.
    return replyTo !== undefined && isKnown(replyTo) ? { ...rest, replyTo } : rest
  }
  for (let after = goneUpToSeq, isLast = false; !isLast; ) {
    const page = await findBySeq(db, key(app, id), { after, upTo: Number.MAX_SAFE_INTEGER }, { limit: perPage })
    for (const message of page) {
      yield* threadsUntil(message.createdAtMS)
      exported.count++
      yield shown(message)
    }
    after = page.at(-1)?.seq ?? after
    isLast = page.length < perPage
  }
  yield* threadsUntil(Infinity)
}
