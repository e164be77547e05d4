import { type IDBPDatabase, openDB } from 'idb'

/** Key-value storage of a cache. React Native's AsyncStorage fits as is. */
export interface CacheStorage {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
  /** With it, clear() also removes what tabs lost track of. */
  getAllKeys?(): readonly string[] | Promise<readonly string[]>
}

const store = 'texts'

/** Storage in an IndexedDB database, opened on first use. Tabs may share it. */
export function indexedDBStorage(name: string): CacheStorage {
  let opening: Promise<IDBPDatabase> | undefined
  /** Makes the next use reopen the database. */
  const forget = () => {
    opening = undefined
  }

  function database(): Promise<IDBPDatabase> {
    opening ??= openDB(name, 1, {
      upgrade: (db) => void db.createObjectStore(store),
      // Another tab deletes or upgrades the database.
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
    getAllKeys: async () => (await (await database()).getAllKeys(store)).map(String),
  }
}
