import { answerWithinMS } from '@parley/bus/control/room-writers'
import type { AppendOutcome, RoomAppend } from '@parley/contracts/bus/appends'
import type { ConfigMark } from '@parley/db/apps/config-mark'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { TailAppend } from '@parley/db/sending/append-statement'
import { findSendFacts } from '@parley/db/sending/send-facts'
import { fromTail, type TailMessage } from '@parley/db/sending/tails'
import { censorshipKey } from '../../moderation/censorship.ts'
import type { KnownRooms, WantedRoom } from './known-rooms.ts'
import { messageTimes } from './message-times.ts'
import { bytesOf } from './new-message.ts'
import type { RoomAttempt } from './tail-attempts.ts'

/** What another gateway asks this one to append, and what is to be called when that has an outcome. */
export interface Asked {
  append: RoomAppend
  done: (outcome: AppendOutcome) => void
  /** When it came, by `performance.now()`. */
  sinceMS: number
  /** It has one already, and is not to be tried any more. */
  isOver: boolean
}

/** Together with what else goes into the room: all that others ask for must fit into the tail as well. */
const mostBytes = 512 * 1024

/**
 * Adds what other gateways ask for to the attempts of a batch: after the batch's own messages of the room, in the same
 * statement. What cannot be added is not written: the room or the configuration is not what they were decided by.
 */
export async function joinAsked(
  { db, known }: { db: Db; known: KnownRooms },
  { rooms, marks }: { rooms: readonly RoomAttempt[]; marks: readonly ConfigMark[] },
  asked: readonly Asked[],
): Promise<{ rooms: readonly RoomAttempt[]; marks: readonly ConfigMark[] }> {
  if (asked.length === 0) return { rooms, marks }
  const attempts = new Map(rooms.flatMap((room) => (room.append ? [[room.append.room._id, room]] : [])))
  const byRoom = Map.groupBy(asked, ({ append: { app, room } }) => key(app, room))
  const wanted = [...byRoom].map(([roomKey, [first]]) => {
    const { app, rev } = (first as Asked).append
    return { app, roomKey, rev }
  })
  const found = await known.findRooms(
    wanted.filter(({ roomKey }) => !attempts.has(roomKey)),
    (unknown) => readRooms(db, unknown),
  )
  const proven = new Map([...found.marks, ...marks].map(({ app, mark }) => [app, mark ?? null]))
  for (const [roomKey, own] of byRoom) {
    const attempt = attempts.get(roomKey) ?? { outcomes: [] }
    const room = attempt.append?.room ?? found.rooms.get(roomKey)
    let joined = attempt
    for (const one of own) {
      const { app, mark } = one.append
      const isWaitedFor = performance.now() - one.sinceMS < answerWithinMS
      const holds =
        isWaitedFor &&
        room !== undefined &&
        (room.rev ?? null) === one.append.rev &&
        (!proven.has(app) || proven.get(app) === mark)
      const next = holds ? withOne(joined, room, one, known.isShared(roomKey)) : undefined
      if (next) {
        joined = next
        proven.set(app, mark)
      } else one.done('notWritten')
    }
    if (joined !== attempt) attempts.set(roomKey, joined)
  }
  return {
    rooms: [...rooms.filter(({ append }) => !append), ...attempts.values()],
    marks: [...proven].map(([app, mark]) => ({ app, mark: mark ?? undefined })),
  }
}

/** The attempt with the messages of one more gateway; undefined when they do not fit. */
function withOne(
  attempt: RoomAttempt,
  room: TailAppend['room'],
  one: Asked,
  isShared: boolean,
): RoomAttempt | undefined {
  const append = attempt.append ?? { room, messages: [], bytes: 0, areStored: false, isShared }
  const bytes = append.bytes + one.append.bytes
  if (append.areStored || bytes > mostBytes) return undefined
  const last = append.messages.at(-1)?.message
  // Those of one time are listed by their IDs, which ascend with seq only within a gateway: so each order has times of its own.
  const nextTime = messageTimes({ clockMS: last?.createdAtMS ?? room.clockMS })
  const messages = one.append.messages.map((sent, i) => {
    const message = sent as unknown as TailMessage
    const place = { seq: (last?.seq ?? room.seq) + 1 + i, createdAtMS: nextTime(bytesOf(message)) }
    return { message: fromTail(room, { ...message, ...place }) }
  })
  return {
    ...attempt,
    append: { ...append, messages: [...append.messages, ...messages], bytes },
    asked: [...(attempt.asked ?? []), one],
  }
}

/** What this process has appended of its own; undefined when all was asked for by others. */
export function ownPart({ append, asked = [] }: RoomAttempt): TailAppend | undefined {
  if (!append || asked.length === 0) return append
  const others = new Set(asked.flatMap((one) => one.append.messages.map(({ _id }) => _id)))
  const messages = append.messages.filter(({ message }) => !others.has(message._id))
  const bytes = asked.reduce((left, one) => left - one.append.bytes, append.bytes)
  return messages.length > 0 ? { ...append, messages, bytes } : undefined
}

/** Replies to those who asked for what is written now. */
export function replyPlaces({ append, asked = [] }: RoomAttempt): void {
  const placed = new Map(append?.messages.map(({ message }) => [message._id, message]))
  for (const { append: own, done } of asked) {
    const messages = own.messages.flatMap(({ _id }) => placed.get(_id) ?? [])
    done({ seq: messages[0]?.seq ?? 0, timesMS: messages.map(({ createdAtMS }) => createdAtMS) })
  }
}

function readRooms(db: Db, rooms: readonly WantedRoom[]) {
  return findSendFacts(db, {
    rooms: rooms.map(({ roomKey }) => roomKey),
    apps: [...new Set(rooms.map(({ app }) => app))],
    configName: censorshipKey,
    memberships: [],
    senders: [],
    sendKeys: [],
    keysNoted: [],
  })
}
