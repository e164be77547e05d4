import { LRUCache } from 'lru-cache'

/** Longer than the duplicate window of the stream. */
const rememberMS = 150_000
const max = 50_000

/**
 * Remembers recent event IDs for 2.5 minutes, or until 50,000 newer ones arrive. Two publishers of one outbox entry may
 * publish it twice, the second time after newer events.
 */
export function createRecent<T extends object | number>(): LRUCache<string, T> {
  return new LRUCache<string, T>({ max, ttl: rememberMS })
}
