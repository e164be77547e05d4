import { jetstreamManager, type StoredMsg } from '@nats-io/jetstream'
import type { Bus } from '../connect.ts'

/**
 * The message at a position of a stream; with `next_by_subj: '>'`, the next one if that was dropped. Undefined if there
 * is none (NATS ADR-31).
 * @throws if NATS is away
 */
export async function findStored(
  bus: Bus,
  stream: string,
  query: { seq: number; next_by_subj?: string },
): Promise<StoredMsg | undefined> {
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  return (await manager.streams.getMessage(stream, query)) ?? undefined
}
