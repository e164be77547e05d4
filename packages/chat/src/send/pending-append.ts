import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/documents'
import { maxBufferBytes, type RoomAppend } from '@parley/db/room-buffer/append'
import { type AssignedPosition, findPositions } from '@parley/db/room-buffer/buffer'
import type { MessageBatch, SendResult } from './decide.ts'
import { bytesOf, type Draft } from './new-message.ts'

/** A larger message goes straight to `messages`, since every further append rewrites the whole buffer. */
const maxMessageBytes = 8 * 1024
const maxAppendBytes = 256 * 1024
/** Approximate size of a message in a buffer besides its content. */
const entryBytes = 300
/** Large messages per transaction. While MongoDB writes them, the next ones are prepared. */
const largePerTransaction = 16

/** The drafts to one room in one write, with their results if it succeeds. */
export interface PendingAppend {
  results: [draft: Draft, result: SendResult][]
  /** Absent if every draft is refused or repeated. */
  append?: RoomAppend
}

/** @param isShared whether other processes send to a room, by its key */
export function splitByRoom(
  batch: MessageBatch,
  drafts: readonly Draft[],
  isShared: (roomKey: string) => boolean,
): PendingAppend[] {
  const decided = drafts.map((draft, i): PendingAppend['results'][number] => [draft, batch.results[i] as SendResult])
  const byRoom = Map.groupBy(decided, ([{ app, room }]) => key(app, room))
  const messages = Map.groupBy(batch.messages, ({ roomKey }) => roomKey)
  const draftOf = new Map(
    decided.flatMap(([draft, result]) => ('message' in result && !result.repeated ? [[result.message, draft]] : [])),
  )
  return [...byRoom].map(([roomKey, results]) => {
    const room = batch.advances.get(roomKey)?.room
    const fresh = messages.get(roomKey) ?? []
    return room ? { results, append: toAppend(room, fresh, draftOf, isShared(roomKey)) } : { results }
  })
}

function toAppend(
  room: RoomAppend['room'],
  fresh: readonly MessageDoc[],
  draftOf: ReadonlyMap<MessageDoc, Draft>,
  isShared: boolean,
): RoomAppend {
  const sizes = fresh.map(bytesOf)
  const light = sizes.length * entryBytes
  const bytes = sizes.reduce((sum, size) => sum + size, light)
  const fits =
    Math.max(...sizes) <= maxMessageBytes && bytes <= maxAppendBytes && (room.bufferBytes ?? 0) < maxBufferBytes
  const messages = fresh.map((message) => {
    const { sendKey, quoted } = draftOf.get(message) ?? {}
    return { message, sendKey, quoted }
  })
  // Only an unchanged seq proves that an idempotency key is unused, since every send increments it.
  const hasKey = messages.some(({ sendKey }) => sendKey !== undefined)
  return { room, messages, bytes: fits ? bytes : light, areStored: !fits, isShared: isShared && fits && !hasKey }
}

/**
 * Splits off rooms with large messages, so that others do not wait for their transaction: in groups, or after a
 * conflict (`isRetry`) one by one.
 */
export function splitLarge(
  pending: readonly PendingAppend[],
  isRetry: boolean,
): { now: readonly PendingAppend[]; apart: PendingAppend[][] } {
  const [large, small] = [pending.filter(isLarge), pending.filter((one) => !isLarge(one))]
  const groups = groupsOf(large, isRetry ? 1 : largePerTransaction)
  return groups.length === 1 && small.length === 0 ? { now: large, apart: [] } : { now: small, apart: groups }
}

function isLarge({ append }: PendingAppend): boolean {
  return append?.areStored ?? false
}

/** Groups of rooms with at least `size` messages each, except the last. */
function groupsOf(pending: readonly PendingAppend[], size: number): PendingAppend[][] {
  const groups: PendingAppend[][] = []
  let messages = size
  for (const one of pending) {
    if (messages >= size) {
      groups.push([])
      messages = 0
    }
    groups.at(-1)?.push(one)
    messages += one.append?.messages.length ?? 0
  }
  return groups
}

/** Written appends. Those to shared rooms get the seqs and times assigned by MongoDB. */
export async function withPositions(db: Db, written: readonly PendingAppend[]): Promise<readonly PendingAppend[]> {
  const shared = written.flatMap(({ append }) => (append?.isShared ? [append] : []))
  if (shared.length === 0) return written
  const positions = await findPositions(db, shared)
  return written.map((one) => (one.append?.isShared ? atPositions(one, one.append, positions) : one))
}

function atPositions(
  { results }: PendingAppend,
  append: RoomAppend,
  positions: ReadonlyMap<string, AssignedPosition>,
): PendingAppend {
  const messages = append.messages.map(({ message, ...about }) => {
    const position = positions.get(message._id)
    if (!position) throw new Error(`message ${message._id} was written but is missing`)
    const { seq, createdAtMS } = position
    return { message: { ...message, seq, createdAtMS, updatedAtMS: createdAtMS }, ...about }
  })
  const placed = new Map(messages.map(({ message }) => [message._id, message]))
  const firstSeq = messages[0]?.message.seq ?? 1
  return {
    results: results.map(([draft, result]) => {
      const message = 'message' in result ? placed.get(result.message._id) : undefined
      return [draft, message ? { ...result, message, repeated: false } : result]
    }),
    append: { ...append, room: { ...append.room, seq: firstSeq - 1 }, messages },
  }
}
