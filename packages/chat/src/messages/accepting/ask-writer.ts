import type { RoomWriters } from '@parley/bus/control/room-writers'
import type { AppendOutcome, RoomAppend } from '@parley/contracts/bus/appends'
import type { ConfigMark } from '@parley/db/apps/config-mark'
import { type TailAppend, toTail } from '@parley/db/sending/append-statement'
import type { KnownRooms } from './known-rooms.ts'
import { atPlaces } from './shared-rooms.ts'
import type { RoomAttempt } from './tail-attempts.ts'

/** Rooms whose messages another gateway is asked to append. */
export interface AskedOf {
  writer: string
  rooms: RoomAttempt[]
}

/** A message of NATS has 1 MiB by default, and JSON in JSON up to twice its bytes. */
const mostBytes = 256 * 1024

/**
 * Which rooms go to which writer: busy ones that others send to as well. What decides over a message there is proven by the room's
 * `rev` alone (tail-attempts.ts).
 */
export function askedOf(
  { writers, known }: { writers: RoomWriters; known: KnownRooms },
  rooms: readonly RoomAttempt[],
): AskedOf[] {
  const groups: (AskedOf & { bytes: number })[] = []
  for (const room of rooms) {
    const { append, asked } = room
    if (!append?.isShared || asked || !known.isBusy(append.room._id)) continue
    const writer = writers.writerOf(append.room._id)
    if (writer === undefined || append.bytes > mostBytes) continue
    const group = groups.find((one) => one.writer === writer && one.bytes + append.bytes <= mostBytes)
    if (group) {
      group.rooms.push(room)
      group.bytes += append.bytes
    } else groups.push({ writer, rooms: [room], bytes: append.bytes })
  }
  return groups
}

/** What became of rooms at their writer. */
export interface Answered {
  /** With the places that the writer gave. */
  written: RoomAttempt[]
  notWritten: RoomAttempt[]
  unknown: RoomAttempt[]
}

/** Asks the writer; never fails. */
export async function askWriter(
  writers: RoomWriters,
  { writer, rooms }: AskedOf,
  marks: readonly ConfigMark[],
): Promise<Answered> {
  const markOf = new Map(marks.map(({ app, mark }) => [app, mark]))
  const appends = rooms.flatMap(({ append }) => (append ? [toOrder(append, markOf.get(append.room.app))] : []))
  const outcomes = await writers.ask(writer, appends)
  const answered: Answered = { written: [], notWritten: [], unknown: [] }
  rooms.forEach((room, i) => {
    const outcome: AppendOutcome = outcomes[i] ?? 'unknown'
    if (typeof outcome === 'string') answered[outcome].push(room)
    else answered.written.push(atPlaces(room, placesIn(room, outcome)))
  })
  return answered
}

function toOrder({ room, messages, bytes }: TailAppend, mark: string | undefined): RoomAppend {
  return {
    app: room.app,
    room: room.id,
    rev: room.rev ?? null,
    mark: mark ?? null,
    bytes,
    messages: messages.map(({ message }) => {
      const { seq: _seq, createdAtMS: _createdAtMS, ...rest } = toTail(message, undefined, false)
      return rest
    }),
  }
}

function placesIn({ append }: RoomAttempt, { seq, timesMS }: Exclude<AppendOutcome, string>) {
  return new Map(
    append?.messages.map(({ message }, i) => [message._id, { seq: seq + i, createdAtMS: timesMS[i] as number }]),
  )
}
