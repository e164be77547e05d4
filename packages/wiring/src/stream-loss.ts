import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { gap } from '@parley/bus/stream/ensure-streams'
import { ensureStream, type FindHandled, type StreamOptions } from '@parley/bus/stream/stream'
import { deleteStream, findMessageId, findStream, type StreamIdentity } from '@parley/bus/stream/stream-state'
import { durableConsumers } from '@parley/contracts/bus/streams'
import type { Db } from '@parley/db/connect'
import type { Rebuilding, StreamStateDoc } from '@parley/db/events/documents'
import { findStreamState, onTheWayMS, recordLoss, recordNewStream } from '@parley/db/events/stream-state'

/** How a stream differs from its recorded state. */
export type Loss = 'missing' | 'another stream' | 'went back' | 'other messages'

/**
 * Minimum length of a replay. NATS can take two minutes to sync its log to disk. Cursors of the feed issued in that
 * time must stay valid: they can be older by `onTheWayMS`, and by the interval at which cursors of idle apps advance.
 */
const atLeastMS = 180_000
const repairMS = 10_000

/** The first sequence of a stream that replaces this one. */
export function nextFirstSeq({ seq, begins }: Pick<StreamStateDoc, 'seq' | 'begins'>): number {
  return Math.max(seq, begins?.seq ?? 0) + gap
}

/** Compares a stream with its recorded state, and with the last acknowledgement to this process. */
export async function findLoss(
  bus: Bus,
  state: StreamStateDoc,
  acknowledged: { seq: number; id: string } | undefined,
  stream: StreamIdentity | undefined,
): Promise<Loss | undefined> {
  if (!stream) return 'missing'
  if (stream.created !== state.created) return 'another stream'
  if (stream.lastSeq < Math.max(state.seq, acknowledged?.seq ?? 0)) return 'went back'
  const known = state.witness === undefined ? [] : [{ seq: state.seq, id: state.witness }]
  for (const { seq, id } of acknowledged ? [...known, acknowledged] : known) {
    const there = await findMessageId(bus, state._id, seq)
    // The message can be missing if it has expired, or its app was deleted.
    if (there !== undefined && there !== id) return 'other messages'
  }
  return undefined
}

/** Replaces a lost stream, and records which events to publish again. @returns whether this process replaced it */
export async function replaceStream(
  db: Db,
  bus: Bus,
  { index, ...options }: StreamOptions & { index: number },
  state: StreamStateDoc,
): Promise<boolean> {
  const rebuilding = toRebuild(state)
  const now = clock.now()
  if ((state.repairUntilMS ?? 0) > now || !(await recordLoss(db, state, rebuilding, now + repairMS))) return false
  const firstSeq = nextFirstSeq(state)
  const found = await findStream(bus, state._id)
  // Keep a stream that a starting service has just created. In any other one, sequences would be assigned twice.
  if (found && found.beganAtSeq <= state.seq) await deleteStream(bus, state._id)
  await ensureStream(bus, options, { index, count: bus.streams.names.length, firstSeq })
  const made = await findStream(bus, state._id)
  if (!made) return false
  const { sinceMS } = rebuilding
  const { created, beganAtSeq } = made
  const stream = { created, firstSeq: beganAtSeq, sinceMS }
  await recordNewStream(db, { _id: state._id, losses: state.losses + 1 }, stream)
  return true
}

function toRebuild(state: StreamStateDoc): Rebuilding {
  const { rebuilt, rebuilding, handledUpToMS, seenAtMS, seq } = state
  const cursorsSinceMS = seenAtMS - atLeastMS
  // Replayed events have new times in the stream. Until they are handled, replay from the earlier loss again; also
  // while cursors from between the two losses may be in use.
  const counts = rebuilt !== undefined && Math.min(handledUpToMS, cursorsSinceMS) <= rebuilt.endedAtMS
  const before = counts ? rebuilt.sinceMS : Number.POSITIVE_INFINITY
  const fromHere = Math.min(handledUpToMS - onTheWayMS, cursorsSinceMS)
  const sinceMS = Math.min(fromHere, before, rebuilding?.sinceMS ?? Number.POSITIVE_INFINITY)
  return { sinceMS, untilMS: clock.now(), doneUpToMS: sinceMS, afterSeq: seq, leaseUntilMS: 0 }
}

/** Returns a function that finds a consumer's recorded sequence, unless it belongs to another stream. */
export function handledIn(db: Db, bus: Bus): FindHandled {
  return async (name, of) => {
    const [state, stream] = await Promise.all([findStreamState(db, of), findStream(bus, of)])
    if (!state || stream?.created !== state.created) return undefined
    const seq = state.handledSeqs?.[durableConsumers[name].name]
    return seq !== undefined && seq <= stream.lastSeq ? seq : undefined
  }
}
