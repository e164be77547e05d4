import { clock } from '@parley/async/clock'
import type { ErrorCode } from '@parley/contracts/errors'
import type { Attachment } from '@parley/db/files/attachment'
import { key } from '@parley/db/keys'
import { currentMessage, isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/messages'
import type { RoomAdvance, RoomToSendTo } from '@parley/db/rooms/advance-rooms'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import type { Sender } from '@parley/db/rooms/memberships'
import type { Pause, SendFacts } from '@parley/db/sending/send-facts'
import { sendKeyOf } from '@parley/db/sending/tails'
import { appBanKey } from '@parley/db/users/app-bans'
import { messageTimes } from './message-times.ts'
import { bytesOf, toMessage } from './new-message.ts'

/** A message to send, checked as far as possible without the database. */
export interface Draft {
  app: string
  room: string
  sender: string
  /** JSON text. */
  content: string
  messageType: string
  mentions?: string[]
  push: boolean
  skipTotalBadge?: true
  webhook?: false
  streaming?: true
  isSystem?: true
  /** Seconds until it expires; 0 for never, and by default what the room says. */
  expiresInS?: number
  /** The same key from the same sender to the same room within 24 hours returns the first message again. */
  sendKey?: string
  clientMessageID?: string
  attachments?: Attachment[]
  /** ID of the message that it replies to. */
  replyTo?: string
  /** That message; absent when the room has none of this ID. */
  quoted?: MessageDoc
  request?: string
  /** What the message is to be called; by default a new ID. */
  id?: string
  /** The sender's own client sends it, and not the integrator. */
  byClient?: true
  /** Somebody else has it written in the name of the sender, whose ban is no reason to refuse it. */
  isForOther?: true
}

interface AcceptedDraft {
  message: MessageDoc
  /** The sendKey was used before: this is the first message, and nothing was sent now. */
  repeated: boolean
  /** The message that a new one replies to. */
  quoted?: MessageDoc | undefined
}
export interface Refusal {
  refused: ErrorCode
  /** Of SLOW_MODE: until it may be sent. */
  afterMS?: number
}
export type Outcome = AcceptedDraft | Refusal

/** The messages of one write while they are being made. */
export class MessageBatch {
  readonly outcomes: Outcome[] = []
  readonly messages: MessageDoc[] = []
  readonly advances = new Map<string, RoomAdvance>()
  /** How many messages each membership sends, and to which room. */
  readonly sent = new Map<string, { room: RoomToSendTo; count: number }>()
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

  add(draft: Draft, id: string): void {
    this.outcomes.push(this.#decide(draft, id))
  }

  #decide(draft: Draft, id: string): Outcome {
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

    const message = toMessage(draft, this.#advance(room, draft, id))
    this.messages.push(message)
    const count = (this.sent.get(membership._id)?.count ?? 0) + 1
    this.sent.set(membership._id, { room, count })
    if (sendKey !== undefined) this.#bySendKey.set(sendKey, message)
    return { message, repeated: false, quoted }
  }

  /** How long the member still waits by the slow mode of the room, whose clock the messages have. */
  #pauseLeft(membership: string, room: RoomToSendTo): number {
    const pause = this.#pauses.get(membership)
    if (!pause) return 0
    if (this.sent.has(membership)) return pause.everyMS
    return pause.lastMS + pause.everyMS - Math.max(clock.now(), room.clockMS + 1)
  }

  /** The room's next seq, and the time of the message that gets it. */
  #advance(room: RoomToSendTo, draft: Draft, lastMessageID: string): RoomAdvance {
    const nextTime = this.#times.get(room._id) ?? messageTimes(room)
    this.#times.set(room._id, nextTime)
    const seq = (this.advances.get(room._id)?.seq ?? room.seq) + 1
    const advance = { room, seq, clockMS: nextTime(bytesOf(draft)), lastMessageID }
    this.advances.set(room._id, advance)
    return advance
  }
}
