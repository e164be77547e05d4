import type { ClientCache } from './client-cache.ts'
import { aesCipher, type CryptoKey, noCipher } from './encrypt.ts'
import { createEntries } from './entries.ts'
import { type CacheStorage, indexedDBStorage } from './storage.ts'

export interface CacheOptions {
  /** Name of the IndexedDB database, or prefix in `storage`; `parley` by default. Use one per user. */
  name?: string
  /** Replaces IndexedDB, for instance by AsyncStorage in React Native. */
  storage?: CacheStorage
  /**
   * Encrypts state and messages with AES-GCM. Without it, anyone who can read the device's storage can read the
   * messages.
   */
  key?: CryptoKey
  /** How many rooms keep their messages, by latest change or opening; 50 by default. */
  mostRooms?: number
}

/**
 * Creates a cache for `createClient({ cache })`. If storage is unavailable or full, it keeps less or nothing. Entries
 * written by another library version or with another key are dropped.
 */
export function createCache(options: CacheOptions = {}): ClientCache {
  const { name = 'parley', storage = indexedDBStorage(name), key, mostRooms = 50 } = options
  const entries = createEntries(storage, key ? aesCipher(key) : noCipher, name)
  let last: Promise<unknown> = Promise.resolve()

  /** Runs operations one at a time. */
  function inOrder<T>(work: () => Promise<T>): Promise<T | undefined> {
    const mine = last.then(work).catch(() => undefined)
    last = mine
    return mine
  }

  return {
    read: () => inOrder(() => entries.readState()),
    write: (state) => inOrder(() => entries.writeState(state)),
    readRoom: (roomID) => inOrder(() => entries.readRoom(roomID)),
    writeRoom: (roomID, page) => inOrder(() => entries.writeRoom(roomID, page, mostRooms)),
    clear: () => inOrder(() => entries.removeAll()),
  }
}
