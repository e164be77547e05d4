import type { ErrorCode } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { countOwnMessages, type MembershipDoc, type OwnMessages } from '@parley/db/memberships'
import { findMessages, insertMessages, type MessageDoc, newMessageId } from '@parley/db/messages'
import { noteMessages } from '@parley/db/outbox'
import { advanceRooms, type RoomAdvance, type RoomDoc } from '@parley/db/rooms'
import { findSendFacts } from '@parley/db/send-facts'
import { findSendKeys, insertSendKeys } from '@parley/db/send-keys'
import { inTransaction, type Session } from '@parley/db/transaction'
import { type Censor, censorshipKey } from './censorship.ts'
import type { Outbox } from './outbox.ts'
import type { SenderProfiles } from './sender-profiles.ts'

/** A message that somebody wants to send, checked as far as that needs no database. */
export interface Draft {
  app: string
  room: string
  sender: string
  /** JSON text. */
  content: string
  messageType: string
  mentions?: string[]
  push: boolean
  webhook?: false
  /** The same key from the same sender within 24 hours answers the first message again. */
  sendKey?: string
  clientMessageID?: string
  request?: string
}

interface AcceptParts {
  db: Db
  outbox: Outbox
  profiles: SenderProfiles
  censor: Censor
}

export interface AcceptedDraft {
  message: MessageDoc
  /** The sendKey was used before: this is the message of then, and nothing was sent now. */
  repeated: boolean
}
export interface Refusal {
  refused: ErrorCode
}
export type Outcome = AcceptedDraft | Refusal

/**
 * Writes a batch of messages in one transaction: each gets the next seq of its room, the room moves
 * forward, and the sender's own message is kept out of his unread count. One outcome per draft, in
 * order; a refused draft leaves no trace and takes no seq. The accepted are handed to the outbox after the commit.
 *
 * The cost does not grow with the members or the history of a room: per batch, one read of rooms,
 * one of memberships, and one write to each of four collections. What needs no transaction is done at the same time
 * before it; its writes then find out whether what was read still holds.
 */
export async function acceptMessages(
  { db, outbox, profiles, censor }: AcceptParts,
  drafts: readonly Draft[],
): Promise<Outcome[]> {
  const ids = drafts.map(newMessageId)
  const note = ids[0] ?? newMessageId()
  const noted = noteMessages(db, note, ids)
  const [outcomes, senders] = await Promise.all([
    inTransaction(db, async (session) => {
      const [batch] = await Promise.all([readBatch(db, censor, drafts, ids), noted])
      await writeBatch(db, batch, session)
      return batch.outcomes
    }),
    profiles(drafts),
    noted,
  ])
  const accepted = outcomes.filter((outcome) => 'message' in outcome && !outcome.repeated) as AcceptedDraft[]
  void outbox.publish(
    note,
    accepted.map(({ message }) => ({
      message,
      sender: senders.get(key(message.app, message.sender)),
      event: 'chat message',
    })),
  )
  return outcomes
}

/** Puts the messages together from what the database says now. */
async function readBatch(db: Db, censor: Censor, drafts: readonly Draft[], ids: readonly string[]): Promise<Batch> {
  const sendKeys = drafts.map(sendKeyOf).filter((sendKey) => sendKey !== undefined)
  const [{ rooms, memberships, config }, sentBefore] = await Promise.all([
    findSendFacts(db, {
      rooms: unique(drafts.map(({ app, room }) => key(app, room))),
      memberships: unique(drafts.map(({ app, room, sender }) => key(app, room, sender))),
      apps: unique(drafts.map(({ app }) => app)),
      configName: censorshipKey,
    }),
    findSentBefore(db, sendKeys),
  ])
  const masks = censor(config)
  const batch = new Batch(rooms, memberships, sentBefore)
  drafts.forEach((draft, i) => {
    const mask = masks.get(draft.app)
    batch.add(mask ? { ...draft, content: mask(draft.content) } : draft, ids[i] ?? newMessageId())
  })
  return batch
}

/** The messages that these send keys made already, by key. */
async function findSentBefore(db: Db, sendKeys: readonly string[]): Promise<Map<string, MessageDoc>> {
  const used = await findSendKeys(db, sendKeys)
  const messages = new Map((await findMessages(db, [...used.values()])).map((message) => [message._id, message]))
  const found = [...used].map(([sendKey, id]) => [sendKey, messages.get(id)] as const)
  return new Map(found.filter((pair): pair is [string, MessageDoc] => pair[1] !== undefined))
}

async function writeBatch(db: Db, batch: Batch, session: Session): Promise<void> {
  if (batch.messages.length === 0) return
  await advanceRooms(db, [...batch.advances.values()], session)
  await countOwnMessages(db, [...batch.sent.values()], session)
  await insertSendKeys(
    db,
    [...batch.bySendKey].map(([_id, { _id: message }]) => ({ _id, message, usedAt: new Date() })),
    session,
  )
  await insertMessages(db, batch.messages, session)
}

/** The messages of one transaction while they are put together. */
class Batch {
  readonly outcomes: Outcome[] = []
  readonly messages: MessageDoc[] = []
  readonly advances = new Map<string, RoomAdvance>()
  /** How many messages each membership sends. */
  readonly sent = new Map<string, OwnMessages>()
  readonly bySendKey = new Map<string, MessageDoc>()
  readonly #rooms: Map<string, RoomDoc>
  readonly #memberships: Map<string, MembershipDoc>
  readonly #sentBefore: Map<string, MessageDoc>

  constructor(rooms: RoomDoc[], memberships: MembershipDoc[], sentBefore: Map<string, MessageDoc>) {
    this.#sentBefore = sentBefore
    this.#rooms = new Map(rooms.map((room) => [room._id, room]))
    this.#memberships = new Map(memberships.map((membership) => [membership._id, membership]))
  }

  add(draft: Draft, id: string): void {
    this.outcomes.push(this.#decide(draft, id))
  }

  #decide(draft: Draft, id: string): Outcome {
    const sendKey = sendKeyOf(draft)
    const before = sendKey && (this.bySendKey.get(sendKey) ?? this.#sentBefore.get(sendKey))
    if (before) return { message: before, repeated: true }
    const room = this.#rooms.get(key(draft.app, draft.room))
    const membership = this.#memberships.get(key(draft.app, draft.room, draft.sender))
    if (!room || room.deletedAt) return { refused: 'ROOM_NOT_FOUND' }
    if (!membership) return { refused: 'NOT_ROOM_MEMBER' }
    if (membership.blocked) return { refused: 'USER_BLOCKED' }
    if (room.status === 0) return { refused: 'ROOM_FROZEN' }

    const message = toMessage(draft, this.#advance(room, id))
    this.messages.push(message)
    const count = (this.sent.get(membership._id)?.count ?? 0) + 1
    this.sent.set(membership._id, { membership, room, count })
    if (sendKey !== undefined) this.bySendKey.set(sendKey, message)
    return { message, repeated: false }
  }

  /**
   * The room's next seq. Its time is later than any that the room has given before: two transactions on
   * a room never run together, so a reader who pages by time can never have passed it already.
   */
  #advance(room: RoomDoc, lastMessageID: string): RoomAdvance {
    const before = this.advances.get(room._id)
    const advance = {
      room,
      seq: (before?.seq ?? room.seq) + 1,
      clockMS: before?.clockMS ?? Math.max(Date.now(), room.clockMS + 1),
      lastMessageID,
    }
    this.advances.set(room._id, advance)
    return advance
  }
}

function toMessage(draft: Draft, advance: RoomAdvance): MessageDoc {
  return {
    _id: advance.lastMessageID,
    app: draft.app,
    room: draft.room,
    roomKey: advance.room._id,
    seq: advance.seq,
    sender: draft.sender,
    content: draft.content,
    messageType: draft.messageType,
    createdAtMS: advance.clockMS,
    updatedAtMS: advance.clockMS,
    ...(draft.mentions && { mentions: draft.mentions }),
    ...(draft.clientMessageID !== undefined && { clientMessageID: draft.clientMessageID }),
    ...(!draft.push && { push: false }),
    ...(draft.webhook === false && { webhook: false }),
    ...(draft.request !== undefined && { request: draft.request }),
  }
}

function sendKeyOf(draft: Draft): string | undefined {
  return draft.sendKey === undefined ? undefined : key(draft.app, draft.sender, draft.sendKey)
}

function unique(keys: string[]): string[] {
  return [...new Set(keys)]
}
