import { type IDBPDatabase, openDB } from 'idb'

/** Where a cache keeps its texts: IndexedDB, or React Native's AsyncStorage as it is. */
export interface CacheStorage {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

const store = 'texts'

/** A database of IndexedDB, opened at its first use. Several tabs may share it. */
export function indexedDBStorage(name: string): CacheStorage {
  let opening: Promise<IDBPDatabase> | undefined
  /** Opened again at the next use. */
  const forget = () => {
    opening = undefined
  }

  function database(): Promise<IDBPDatabase> {
    opening ??= openDB(name, 1, {
      upgrade: (db) => void db.createObjectStore(store),
      // Another tab deletes the database, or has a newer version of the app.
      blocking() {
        void opening?.then((db) => db.close())
        forget()
      },
      terminated: forget,
    })
    opening.catch(forget)
    return opening
  }

  return {
    async getItem(key) {
      const value: unknown = await (await database()).get(store, key)
      return typeof value === 'string' ? value : null
    },
    setItem: async (key, value) => (await database()).put(store, value, key),
    removeItem: async (key) => (await database()).delete(store, key),
  }
}
