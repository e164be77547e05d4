import type { ClientCache } from './client-cache.ts'
import { aesCipher, type CryptoKey, noCipher } from './encrypt.ts'
import { createEntries } from './entries.ts'
import { type CacheStorage, indexedDBStorage } from './storage.ts'

export interface CacheOptions {
  /** Of the IndexedDB database, or of the entries of `storage`; by default `parley`. One for each user that stays logged in. */
  name?: string
  /** Instead of IndexedDB: AsyncStorage in React Native. */
  storage?: CacheStorage
  /** Encrypts everything by AES-GCM. Without it, whoever can read the device's storage can read the messages. */
  key?: CryptoKey
  /** Rooms whose messages are kept: those that changed or were opened last; by default 50. */
  mostRooms?: number
}

/**
 * A cache for `createClient({ cache })`. Where storage is forbidden, broken or full, it keeps less, or nothing; entries that
 * another version of the library or another key wrote are dropped.
 */
export function createCache(options: CacheOptions = {}): ClientCache {
  const { name = 'parley', storage = indexedDBStorage(name), key, mostRooms = 50 } = options
  const entries = createEntries(storage, key ? aesCipher(key) : noCipher, name)
  let last: Promise<unknown> = Promise.resolve()

  /** One operation after the other. */
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
