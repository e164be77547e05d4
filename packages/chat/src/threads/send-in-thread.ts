import { clock } from '@parley/async/clock'
import { publishedWithinMS } from '@parley/bus/events/publish'
import type { Db, Session } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { setSearchWords } from '@parley/db/messages/search-texts'
import { findSendKey, insertSendKey, sendKeyOf } from '@parley/db/messages/send-keys'
import type { Pause } from '@parley/db/room-buffer/facts'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { findMembershipsByKey } from '@parley/db/rooms/memberships'
import { advanceRoomClock } from '@parley/db/rooms/rooms'
import { countedThread, grownThread } from '@parley/db/threads/thread'
import { countOwnInThread, findThreadMember, joinThread, recordThreadSent } from '@parley/db/threads/thread-members'
import { insertInThread } from '@parley/db/threads/thread-messages'
import { appBanKey } from '@parley/db/users/app-bans'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { commitChange } from '../events/change-and-notify.ts'
import { justWritten } from '../events/current-docs.ts'
import { roomOrderingKey, threadOrderingKey } from '../events/ordering-keys.ts'
import type { ChangeEntries } from '../events/outbox.ts'
import { quotedBy } from '../messages/reading/quoted-messages.ts'
import { termsOfContent } from '../search/search-words.ts'
import { MessageBatch, type SendResult } from '../send/decide.ts'
import { type Draft, isLeaseExpired, LeaseExpired } from '../send/new-message.ts'
import { findPauses } from '../send/slow-mode.ts'

/** A draft of a thread message, which replies to the root or to another message of the thread. */
type ThreadDraft = Draft & { replyTo: string }

/**
 * Writes a thread message (docs/reference/messages.md#threads) in one transaction that locks the room, so that it
 * conflicts with every change that decides sends there. The message gets the next seq of the thread and a time of the
 * room. Otherwise the room is unchanged.
 */
export async function sendInThread(chat: Chat, draft: ThreadDraft): Promise<SendResult> {
  const { app, room: roomId, quoted, replyTo } = draft
  const { value, entries } = await commitChange(
    chat,
    threadOrderingKey(app, roomId, quoted?.threadOf ?? replyTo),
    async (session, pending) => {
      // Masked in its turn, so that words added meanwhile are masked too.
      const content = await chat.censor.maskContent(app, draft.content)
      const room = await lockRoom(chat.db, app, roomId, session)
      if (isLeaseExpired(draft)) throw new LeaseExpired()
      const { result, parent } = await decide(chat, { ...draft, content }, room, session)
      if (!room || !parent || 'refused' in result || result.repeated) return { room, result }
      const message = await write(chat, result.message, parent, room, session)
      if (draft.sendKey !== undefined) {
        await insertSendKey(
          chat.db,
          { _id: sendKeyOf(draft, draft.sendKey), message: message._id, usedAt: clock.date() },
          session,
        )
      }
      const { lastThreadAtMS = 0 } = room
      const mayOvertake = message.createdAtMS < lastThreadAtMS + publishedWithinMS && { mayOvertake: true as const }
      pending.push({ kind: 'message', message: message._id, event: 'thread message', ...mayOvertake })
      return { room, result: { message, repeated: false, quoted: parent } }
    },
    roomOrderingKey(app, roomId),
  )
  if (value.room && 'message' in value.result && !value.result.repeated) {
    publish(chat, value.room, value.result, entries).catch((error: unknown) =>
      chat.log.warn({ err: error, app, room: roomId }, 'outbox not read; its events will be published later'),
    )
  }
  return value.result
}

/** Decides the draft like any message. An accepted one has a seq and time of the room, which `write` replaces. */
async function decide(chat: Chat, draft: ThreadDraft, room: RoomDoc | null, session: Session) {
  const { db } = chat
  const { app, sender, replyTo } = draft
  const own = key(app, draft.room, sender)
  const memberships = await findMembershipsByKey(db, [own, appBanKey(app, sender)], session)
  const membership = memberships.find(({ _id }) => _id === own)
  const [parent] = room ? await findMessages(db, [replyTo], { app: room.app, room: room.id, session }) : []
  const before = await findSentBefore(chat, draft, room, session)
  const pauses = room && membership ? await findThreadPause(db, draft, room, membership) : new Map()
  const facts = { rooms: room ? [room] : [], memberships, pauses }
  const batch = new MessageBatch(facts, before)
  batch.add({ ...draft, quoted: parent })
  return { result: batch.results[0] as SendResult, parent }
}

/** Slow-mode pauses of thread messages, by membership ID, since the last message anywhere. The room must be locked. */
async function findThreadPause(
  db: Db,
  draft: Draft,
  room: RoomDoc,
  { _id, threadSentAtMS = Number.NEGATIVE_INFINITY }: MembershipDoc,
): Promise<Map<string, Pause>> {
  const { slowModeS = 0, owner, managers, buffer = [] } = room
  if (slowModeS === 0) return new Map()
  const sent = buffer.map(({ sender, createdAtMS }) => ({ sender, atMS: createdAtMS }))
  const slow = { everyMS: slowModeS * 1_000, managers, sent, ...(owner !== undefined && { owner }) }
  const inRoom = (await findPauses(db, [draft], [{ ...room, slow }])).get(_id)
  return new Map(inRoom && [[_id, { ...inRoom, lastMS: Math.max(inRoom.lastMS, threadSentAtMS) }]])
}

async function findSentBefore(
  { db }: Chat,
  draft: Draft,
  room: RoomDoc | null,
  session: Session,
): Promise<Map<string, MessageDoc>> {
  if (draft.sendKey === undefined) return new Map()
  const name = sendKeyOf(draft, draft.sendKey)
  const inBuffer = room?.buffer?.find(({ sender, sendKey }) => sender === draft.sender && sendKey === draft.sendKey)
  const id = inBuffer?._id ?? (await findSendKey(db, name, session))
  const [message] = id === undefined ? [] : await findMessages(db, [id], { session })
  return new Map(message ? [[name, message]] : [])
}

async function write(
  { db }: Chat,
  made: MessageDoc,
  parent: MessageDoc,
  room: RoomDoc,
  session: Session,
): Promise<MessageDoc> {
  const [root = parent] =
    parent.threadOf === undefined
      ? []
      : await findMessages(db, [parent.threadOf], { app: room.app, room: room.id, session })
  const timeMS = await advanceRoomClock(db, room, session)
  const before = countedThread(root, room)
  const seq = before.seq + 1
  const times = { createdAtMS: timeMS, updatedAtMS: timeMS }
  const message = { ...made, ...times, roomKey: before._id, seq, threadOf: root._id }
  await insertInThread(db, message, root, grownThread(root, before, message), session)

  const { app, room: roomId, sender } = message
  const thread = { app, room: roomId, root: root._id }
  const begin = (user: string, readSeq: number) =>
    joinThread(db, thread, user, { joinedAtMS: timeMS, readSeq, uncounted: 0 }, session)
  const isFirst = seq === 1
  // Also for users who have left the room: when they return, the thread is among theirs.
  const author = isFirst && root.sender !== sender && (await findUser(db, app, root.sender, session))
  if (author) await begin(root.sender, 0)
  const member: MembershipDoc | null = await findThreadMember(db, thread, sender, session)
  if (member) await countOwnInThread(db, member, before, session)
  else await begin(sender, seq)

  if (room.slowModeS) await recordThreadSent(db, { app, room: roomId, user: sender }, timeMS, session)
  const words = termsOfContent(message.content)
  if (words.length > 0) await setSearchWords(db, [message], words, session)
  return message
}

async function publish(
  { db, outbox }: Chat,
  room: RoomDoc,
  { message, quoted }: { message: MessageDoc; quoted?: MessageDoc | undefined },
  entries: ChangeEntries,
): Promise<void> {
  const sender = (await findUser(db, message.app, message.sender)) ?? undefined
  await outbox.publishInRoom(room, entries, justWritten({ messages: [{ message, sender, quoted: quotedBy(quoted) }] }))
}
