import type { IncomingEvent } from '@parley/bus/events/incoming'
import type { Positions } from '@parley/bus/stream/read-stream'
import { isNewMessage } from '@parley/contracts/socket/server-events'
import type { InOrder, NextSeq } from '../delivery/in-order.ts'
import { topicOf } from '../delivery/topics.ts'
import { concerns, type Position, type ReplayReader } from './replay-reader.ts'

/** An event with its position in its stream, and how many events the read had sent before it. */
export type Read = IncomingEvent & { at: Position; sentBefore: number }

export function createSentEvents() {
  const ids = new Set<string>()
  const inOrder: { id: string; at: Position }[] = []
  return {
    ids,
    add({ id, at }: Read) {
      if (id === undefined || ids.has(id)) return
      ids.add(id)
      inOrder.push({ id, at })
    },
    /** Those after the first `count`. */
    after: (count: number) => inOrder.slice(count),
  }
}
export type SentEvents = ReturnType<typeof createSentEvents>

/**
 * Where a slow reader continues: at the first event that it lacks. Later ones that it has are not sent again.
 * @param event the first event that it was not sent; others wait in `inOrder`
 */
export function resumePosition(
  reader: ReplayReader,
  event: Read,
  inOrder: InOrder<Read>,
  { next, sent }: { next: Positions; sent: SentEvents },
): Pick<ReplayReader, 'from' | 'sent' | 'nextSeqs'> & { atMS: number } {
  const lacks = [event, ...inOrder.waiting()].filter((one) => concerns(one, one.at, reader))
  const rest = firstOf(next, lacks)
  const kept = new Map(reader.sent)
  for (const { id, at } of sent.after(Math.min(...lacks.map(({ sentBefore }) => sentBefore)))) kept.set(id, at)
  for (const [id, at] of kept) if (at.seq < (rest.from.get(at.stream) ?? 0)) kept.delete(id)
  return { ...rest, sent: kept, nextSeqs: nextSeqsFor(reader, event, inOrder) }
}

/** The next messages of the reader's rooms and threads. The read counts `event` already, which it has yet to get. */
function nextSeqsFor({ socket }: ReplayReader, event: Read, inOrder: InOrder<Read>): Map<string, NextSeq[]> {
  const position = isNewMessage(event.event) ? event.message : undefined
  const seqs: NextSeq[] = []
  for (const { topic, thread, next } of inOrder.nextSeqs()) {
    if (!socket.isIn(topic)) continue
    const isIts = topic === topicOf(event.to) && thread === position?.thread && next - 1 === position?.seq
    seqs.push({ topic, thread, next: isIts ? next - 1 : next })
  }
  return Map.groupBy(seqs, ({ topic }) => topic)
}

/** Teaches a read the next messages of the rooms and threads in which every reader knows its own: the earliest of them. */
export function learnSeqs(inOrder: InOrder<Read>, byTopic: ReadonlyMap<string, readonly ReplayReader[]>): void {
  for (const [topic, [first, ...others]] of byTopic) {
    for (const { thread, next } of first?.nextSeqs.get(topic) ?? []) {
      const known = others.map(({ nextSeqs }) => nextSeqs.get(topic)?.find((one) => one.thread === thread)?.next)
      const earliest = Math.min(next, ...known.map((one) => one ?? Number.NaN))
      if (!Number.isNaN(earliest)) inOrder.learn({ topic, thread, next: earliest }, true)
    }
  }
}

/** Where to continue, so that these events are read again, and when the first of them was stored. */
function firstOf(next: Positions, events: readonly Read[]): { from: Positions; atMS: number } {
  const from = new Map(next)
  for (const { at } of events) from.set(at.stream, Math.min(at.seq, from.get(at.stream) ?? at.seq))
  return { from, atMS: Math.min(...events.map(({ at }) => at.takenAtMS)) }
}
