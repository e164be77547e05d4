import { findConfig } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'
import { key, keyRange } from '@parley/db/keys'
import { findBySeq } from '@parley/db/message-buckets/find-messages'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { flushRooms } from '@parley/db/room-buffer/flush'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { withField } from '../views/json-text.ts'
import {
  banLine,
  blockLine,
  deviceLine,
  groupLine,
  membershipLine,
  messageLine,
  prefLine,
  roomLine,
  userLine,
} from './lines.ts'

const perPage = 500

/** Counts of omissions, reported to the operator. */
export interface LeftOut {
  /** Rooms without members, and direct rooms that one of the two has left. */
  rooms: number
  /** Messages exported without their files. */
  files: number
  /** Thread messages whose root was removed by retention. */
  messages: number
}

/**
 * A whole app as lines for `parley import`: users, groups, rooms, memberships, messages, settings. Runs while the app
 * is in use; concurrent changes may or may not be included.
 */
export async function* linesOfApp(db: Db, app: string, leftOut: LeftOut): AsyncGenerator<string> {
  const ofApp = { _id: keyRange(app) }
  const users = new Set<string>()
  const named = new Set<string>()
  for await (const user of db.users.find({ ...ofApp, groupMembers: { $exists: false } })) {
    users.add(user.id)
    yield userLine(user)
  }
  for await (const group of db.users.find({ ...ofApp, groupMembers: { $exists: true } })) {
    for (const user of group.groupMembers ?? []) named.add(user)
    yield groupLine(group)
  }
  const rooms = () =>
    db.rooms.find({ ...ofApp, id: { $exists: true }, deletedAt: { $exists: false } }, { projection: { buffer: 0 } })
  for await (const room of rooms()) {
    if (isWhole(room)) yield roomLine(room)
    else leftOut.rooms++
  }
  for await (const room of rooms()) {
    if (!isWhole(room)) continue
    await flushRooms(db, [room._id])
    for await (const member of db.memberships.find({ roomKey: room._id }))
      yield membershipLine(member, room.goneUpToSeq)
    for await (const message of messagesOf(db, room, leftOut)) {
      for (const user of [message.sender, ...(message.reactions ?? []).map(({ client }) => client)]) named.add(user)
      yield messageLine(message)
    }
  }
  for await (const ban of db.bans.find(ofApp)) {
    named.add(ban.blockee)
    yield banLine(ban)
  }
  for await (const block of db.blocks.find(ofApp)) {
    named.add(block.blockee)
    yield blockLine(block)
  }
  for await (const device of db.devices.find(ofApp)) yield deviceLine(device)
  for await (const pref of db.prefs.find(ofApp)) yield prefLine(pref.userKey.slice(app.length + 1), pref)
  for (const { name, json } of await findConfig(db, app)) yield withField({ type: 'config', key: name }, 'data', json)
  for (const user of named) if (!users.has(user)) yield JSON.stringify({ type: 'user', _id: user, erased: true })
}

/** Whether an import accepts the room. */
function isWhole({ roomType, memberCount }: RoomDoc): boolean {
  return roomType === 'direct' ? memberCount === 2 : memberCount > 0
}

/** The current messages of a room and its threads by time, so that roots precede their threads. */
async function* messagesOf(db: Db, room: RoomDoc, leftOut: LeftOut): AsyncGenerator<MessageDoc> {
  const { app, id, goneUpToSeq = 0 } = room
  const ofThreads = db.messages.find({ app, room: id, threadOf: { $exists: true } }).sort({ createdAtMS: 1, _id: 1 })
  const inThreads = ofThreads[Symbol.asyncIterator]()
  const roots = new Set<string>()
  let next = await inThreads.next()
  async function* threadsUntil(atMS: number): AsyncGenerator<MessageDoc> {
    for (; !next.done && next.value.createdAtMS < atMS; next = await inThreads.next()) {
      if (roots.has(next.value.threadOf ?? '')) yield shown(next.value)
      else leftOut.messages++
    }
  }
  const shown = (message: MessageDoc): MessageDoc => {
    const { attachments, ...rest } = currentMessage(message, room)
    if (attachments) leftOut.files++
    return rest
  }
  for (let after = goneUpToSeq, isLast = false; !isLast; ) {
    const page = await findBySeq(db, key(app, id), { after, upTo: Number.MAX_SAFE_INTEGER }, { limit: perPage })
    for (const message of page) {
      yield* threadsUntil(message.createdAtMS)
      if (message.thread) roots.add(message._id)
      yield shown(message)
    }
    after = page.at(-1)?.seq ?? after
    isLast = page.length < perPage
  }
  yield* threadsUntil(Infinity)
}
