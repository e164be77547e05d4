import type { CacheStorage } from '@parley/client/cache'

/** A device's storage, which outlives its clients. */
export function newDevice(): CacheStorage & { entries: Map<string, string> } {
  const entries = new Map<string, string>()
  return {
    entries,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
  }
}
