import type { FileStorage } from '@parley/client/uploads'

/** Keeps the bytes of unfinished uploads in the browser, shared by its tabs and users. */
export interface KeptFiles extends FileStorage {
  /** Removes expired files, left by closed tabs. */
  removeOld: () => Promise<unknown>
  /** Removes all files, so that the browser's next user finds none. */
  clear: () => Promise<unknown>
}

interface Kept {
  key: string
  file: Blob
  atMS: number
}

/** Maximum bytes to keep: the server's default limit for one file. The oldest files are removed first. */
const mostBytes = 100 * 1024 * 1024
/** The server deletes unsent files after a day. */
const keptMS = 24 * 3_600_000
const name = 'parley.files'

/** Its calls reject if IndexedDB is missing or blocked. */
export function createFileStorage(): KeptFiles {
  let opening: Promise<IDBDatabase> | undefined
  const open = () => (opening ??= openDatabase())
  async function files(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    return (await open()).transaction(name, mode).objectStore(name)
  }
  /** Deletes expired files, then the oldest ones until `bytes` more fit. */
  async function makeRoom(store: IDBObjectStore, bytes: number): Promise<void> {
    const kept: Kept[] = await settled(store.getAll())
    let sum = bytes
    for (const { key, file, atMS } of kept.toSorted((a, b) => b.atMS - a.atMS)) {
      sum += file.size
      if (sum > mostBytes || atMS < Date.now() - keptMS) store.delete(key)
    }
  }
  return {
    async get(key) {
      const kept: Kept | undefined = await settled((await files('readonly')).get(key))
      return kept?.file
    },
    async set(key, file) {
      if (file.size > mostBytes) return
      const store = await files('readwrite')
      await makeRoom(store, file.size)
      await settled(store.put({ key, file, atMS: Date.now() } satisfies Kept))
    },
    remove: async (key) => settled((await files('readwrite')).delete(key)),
    removeOld: async () => makeRoom(await files('readwrite'), 0),
    clear: async () => settled((await files('readwrite')).clear()),
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(name, { keyPath: 'key' }))
  return settled(request)
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('no answer')))
  })
}
