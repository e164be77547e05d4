import { LRUCache } from 'lru-cache'

/** Longer than the duplicate window of the stream. */
const rememberMS = 150_000
const most = 50_000

/**
 * Remembers recent event IDs, for two and a half minutes or until 50,000 newer ones have come. Two publishers of the same
 * outbox note publish it twice, the second time perhaps after newer events.
 */
export function createRecent<T extends object | number>(): LRUCache<string, T> {
  return new LRUCache<string, T>({ max: most, ttl: rememberMS })
}
