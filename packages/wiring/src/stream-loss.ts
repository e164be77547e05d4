import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { gap } from '@parley/bus/stream/ensure-streams'
import { ensureStream, type FindHandled, type StreamOptions } from '@parley/bus/stream/stream'
import { deleteStream, findMessageId, findStream, type StreamIdentity } from '@parley/bus/stream/stream-state'
import { durableConsumers } from '@parley/contracts/bus/streams'
import type { Db } from '@parley/db/connect'
import type { Rebuilding, StreamStateDoc } from '@parley/db/events/documents'
import { findStreamState, onTheWayMS, recordLoss, recordNewStream } from '@parley/db/events/stream-state'

/** How the stream is not the one that was known. */
export type Loss = 'missing' | 'another stream' | 'went back' | 'other messages'

/**
 * NATS may take two minutes to write its log to disk. Cursors of the feed that were given in that time go on too: they may be
 * older than that by `onTheWayMS`, and by how often those of apps where nothing happens move on.
 */
const atLeastMS = 180_000
const repairMS = 10_000

/** Where the positions of a stream in place of this one begin. */
export function nextFirstSeq({ seq, begins }: Pick<StreamStateDoc, 'seq' | 'begins'>): number {
  return Math.max(seq, begins?.seq ?? 0) + gap
}

/** Compares the stream with its recorded state, and with the positions acknowledged to this process. */
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
    // None is there when it was the oldest, or its app was deleted.
    if (there !== undefined && there !== id) return 'other messages'
  }
  return undefined
}

/**
 * Puts a new stream in place of a lost one, if no other process does so, and notes that the events since then are to be
 * published again.
 * @returns whether this process did
 */
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
  // One that a starting service made stays. In one of an earlier release, or gone back, positions would be given twice.
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
  // Republished events have their new time in the stream: until they are handled, the first loss counts. It also does while
  // a cursor from between them may be newer than what counts now.
  const counts = rebuilt !== undefined && Math.min(handledUpToMS, cursorsSinceMS) <= rebuilt.endedAtMS
  const before = counts ? rebuilt.sinceMS : Number.POSITIVE_INFINITY
  const fromHere = Math.min(handledUpToMS - onTheWayMS, cursorsSinceMS)
  const sinceMS = Math.min(fromHere, before, rebuilding?.sinceMS ?? Number.POSITIVE_INFINITY)
  return { sinceMS, untilMS: clock.now(), doneUpToMS: sinceMS, afterSeq: seq, leaseUntilMS: 0 }
}

/** Makes the function that finds the recorded position of a consumer. Positions of another stream mean nothing in this one. */
export function handledIn(db: Db, bus: Bus): FindHandled {
  return async (name, of) => {
    const [state, stream] = await Promise.all([findStreamState(db, of), findStream(bus, of)])
    if (!state || stream?.created !== state.created) return undefined
    const seq = state.handledSeqs?.[durableConsumers[name].name]
    return seq !== undefined && seq <= stream.lastSeq ? seq : undefined
  }
}
