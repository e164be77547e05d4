import { jetstreamManager, type StoredMsg } from '@nats-io/jetstream'
import type { Bus } from '../connect.ts'

/** A stream's message at a position, or with `next_by_subj: '>'` the next (NATS ADR-31). @throws if NATS is away */
export async function findStored(
  bus: Bus,
  stream: string,
  query: { seq: number; next_by_subj?: string },
): Promise<StoredMsg | undefined> {
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  return (await manager.streams.getMessage(stream, query)) ?? undefined
}

/**
 * Position of the first message stored at or after a time (Unix milliseconds by the stream's clock); if there is none,
 * the next position. Uses a binary search, because a consumer that nats-server 2.15 starts by time begins after the
 * block that contains the time, and misses messages.
 * @throws if NATS is away
 */
export async function positionAt(bus: Bus, stream: string, sinceMS: number): Promise<number> {
  const { streams } = await jetstreamManager(bus.nats, { checkAPI: false })
  const { state } = await streams.info(stream)
  let [from, to] = [Math.max(1, state.first_seq), state.last_seq + 1]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const message = await findStored(bus, stream, { seq: middle, next_by_subj: '>' })
    if (!message || Date.parse(message.timestamp) >= sinceMS) to = middle
    else from = message.seq + 1
  }
  return from
}
