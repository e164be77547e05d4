import { clock } from '@parley/async/clock'
import type { ErrorCode } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { currentMessage, isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { newMessageID } from '@parley/db/messages/message-id'
import { sendKeyOf } from '@parley/db/messages/send-keys'
import type { RoomToSendTo } from '@parley/db/room-buffer/append'
import { untilDurable } from '@parley/db/room-buffer/buffer'
import { findSendFacts, type Pause, type SendFacts } from '@parley/db/room-buffer/facts'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import type { Sender } from '@parley/db/rooms/memberships'
import { appBanKey } from '@parley/db/users/app-bans'
import { type Censor, censorshipKey } from '../moderation/censorship.ts'
import { findSentBefore } from './idempotency.ts'
import { bytesOf, type Draft, messageTimes, type RoomAdvance, toMessage } from './new-message.ts'
import { findPauses } from './slow-mode.ts'

export interface DecideParts {
  db: Db
  censor: Censor
}

interface Accepted {
  message: MessageDoc
  /** Whether the idempotency key was used before: `message` is then the first one, and nothing was sent. */
  repeated: boolean
  /** The message that a new one replies to. */
  quoted?: MessageDoc | undefined
}

export interface Refusal {
  refused: ErrorCode
  /** For SLOW_MODE: milliseconds until the member may send. */
  afterMS?: number
}

export type SendResult = Accepted | Refusal

/** Reads all facts that decide these drafts in one round trip. The write proves that they still hold. */
export async function readFacts(db: Db, drafts: readonly Draft[]): Promise<SendFacts> {
  const facts = await findSendFacts(db, {
    rooms: unique(drafts.map(({ app, room }) => key(app, room))),
    memberships: unique(drafts.flatMap(({ app, room, sender }) => [key(app, room, sender), appBanKey(app, sender)])),
    senders: unique(drafts.map(({ sender }) => sender)),
    apps: unique(drafts.map(({ app }) => app)),
    configName: censorshipKey,
    sendKeys: unique(drafts.flatMap(({ sendKey }) => sendKey ?? [])),
    keysNoted: unique(drafts.flatMap((draft) => (draft.sendKey === undefined ? [] : sendKeyOf(draft, draft.sendKey)))),
  })
  return { ...facts, pauses: await findPauses(db, drafts, facts.rooms) }
}

/** Decides drafts by facts, after masking their content by the app's words. */
export async function decide(
  { db, censor }: DecideParts,
  drafts: readonly Draft[],
  facts: SendFacts,
): Promise<MessageBatch> {
  const [masks, sentBefore] = await Promise.all([censor.masks(facts.config), findSentBefore(db, facts)])
  const batch = new MessageBatch(facts, sentBefore)
  for (const draft of drafts) {
    const mask = masks.get(draft.app)
    batch.add(mask ? { ...draft, content: mask(draft.content) } : draft)
  }
  return batch
}

/** The result that a send would have now. Writes nothing. */
export async function expectedResult(parts: DecideParts, draft: Draft): Promise<SendResult | undefined> {
  const { results } = await decide(parts, [draft], await readFacts(parts.db, [draft]))
  return results[0]
}

/** The message of an earlier send under the same idempotency key, in its current state. */
export async function findRepeated(parts: DecideParts, draft: Draft): Promise<MessageDoc | undefined> {
  if (draft.sendKey === undefined) return undefined
  const result = await expectedResult(parts, draft)
  if (!result || 'refused' in result || !result.repeated) return undefined
  // The first send may not be durable yet, and a repeat must not be acknowledged before it.
  await untilDurable(parts.db)
  return result.message
}

/** Decides the drafts of one write, in order, and builds the messages of the accepted ones. */
export class MessageBatch {
  readonly results: SendResult[] = []
  readonly messages: MessageDoc[] = []
  readonly advances = new Map<string, RoomAdvance>()
  readonly sent = new Map<string, number>()
  readonly #bySendKey = new Map<string, MessageDoc>()
  readonly #times = new Map<string, (bytes: number) => number>()
  readonly #rooms: Map<string, RoomToSendTo>
  readonly #memberships: Map<string, Sender>
  readonly #pauses: ReadonlyMap<string, Pause>
  readonly #sentBefore: Map<string, MessageDoc>

  constructor(
    { rooms, memberships, pauses }: Pick<SendFacts, 'rooms' | 'memberships' | 'pauses'>,
    sentBefore: Map<string, MessageDoc>,
  ) {
    this.#sentBefore = sentBefore
    this.#pauses = pauses
    this.#rooms = new Map(rooms.map((room) => [room._id, room]))
    this.#memberships = new Map(memberships.map((membership) => [membership._id, membership]))
  }

  add(draft: Draft): void {
    this.results.push(this.#decide(draft))
  }

  #decide(draft: Draft): SendResult {
    const sendKey = draft.sendKey === undefined ? undefined : sendKeyOf(draft, draft.sendKey)
    const before = sendKey === undefined ? undefined : (this.#bySendKey.get(sendKey) ?? this.#sentBefore.get(sendKey))
    const room = this.#rooms.get(key(draft.app, draft.room))
    if (before) return { message: currentMessage(before, room ?? {}), repeated: true }
    const membership = this.#memberships.get(key(draft.app, draft.room, draft.sender))
    if (!room || room.deletedAt) return { refused: 'ROOM_NOT_FOUND' }
    if (!membership) return { refused: 'NOT_ROOM_MEMBER' }
    const appBan = this.#memberships.get(appBanKey(draft.app, draft.sender))
    if (appBan && isBlocked(appBan) && !draft.isForOther) return { refused: 'USER_BANNED' }
    if (isBlocked(membership) && !draft.isForOther) return { refused: 'USER_BLOCKED' }
    if (room.importing) return { refused: 'ROOM_IMPORTING' }
    if (room.status === 0) return { refused: 'ROOM_FROZEN' }
    const { replyTo, quoted } = draft
    if (replyTo !== undefined && (!quoted || isDeletedIn(quoted, room))) return { refused: 'MESSAGE_NOT_FOUND' }
    const afterMS = draft.byClient ? this.#pauseLeft(membership._id, room) : 0
    if (afterMS > 0) return { refused: 'SLOW_MODE', afterMS }

    const message = toMessage(draft, this.#advance(room, draft))
    this.messages.push(message)
    this.sent.set(membership._id, (this.sent.get(membership._id) ?? 0) + 1)
    if (sendKey !== undefined) this.#bySendKey.set(sendKey, message)
    return { message, repeated: false, quoted }
  }

  /** Milliseconds until slow mode lets a member send again, by the clock of the room. */
  #pauseLeft(membership: string, room: RoomToSendTo): number {
    const pause = this.#pauses.get(membership)
    if (!pause) return 0
    if (this.sent.has(membership)) return pause.everyMS
    return pause.lastMS + pause.everyMS - Math.max(clock.now(), room.clockMS + 1)
  }

  #advance(room: RoomToSendTo, draft: Draft): RoomAdvance {
    const nextTime = this.#times.get(room._id) ?? messageTimes(room)
    this.#times.set(room._id, nextTime)
    const seq = (this.advances.get(room._id)?.seq ?? room.seq) + 1
    const lastMessageID = draft.id ?? newMessageID({ roomKey: room._id, seq })
    const advance = { room, seq, clockMS: nextTime(bytesOf(draft)), lastMessageID }
    this.advances.set(room._id, advance)
    return advance
  }
}

function unique(keys: string[]): string[] {
  return [...new Set(keys)]
}
