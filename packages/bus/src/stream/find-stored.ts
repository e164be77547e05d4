import { jetstreamManager, type StoredMsg } from '@nats-io/jetstream'
import type { Bus } from '../connect.ts'

/**
 * The message at a position of a stream; with `next_by_subj: '>'` the next one where that was dropped. Undefined when there
 * is none (ADR-31 of NATS).
 * @throws when NATS is away
 */
export async function findStored(
  bus: Bus,
  stream: string,
  query: { seq: number; next_by_subj?: string },
): Promise<StoredMsg | undefined> {
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  return (await manager.streams.getMessage(stream, query)) ?? undefined
}
