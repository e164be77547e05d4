import type { FileStorage } from '@parley/client/uploads'

/** Bytes of files whose upload a reload interrupts, in the browser; shared by its tabs, and by its users. */
export interface KeptFiles extends FileStorage {
  /** Removes those of tabs that have been closed for long. */
  removeOld: () => Promise<unknown>
  /** Removes all: whoever uses the browser next finds nothing. */
  clear: () => Promise<unknown>
}

interface Kept {
  key: string
  file: Blob
  atMS: number
}

/** The most bytes kept: the size of one file that the server takes by default. The oldest files go first. */
const mostBytes = 100 * 1024 * 1024
/** The server drops files that are never sent after a day. */
const keptMS = 24 * 3_600_000
const name = 'parley.files'

/** Its calls fail where the browser has no IndexedDB, or forbids it. */
export function createFileStorage(): KeptFiles {
  let opening: Promise<IDBDatabase> | undefined
  const open = () => (opening ??= openDatabase())
  async function files(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    return (await open()).transaction(name, mode).objectStore(name)
  }
  /** Deletes old files, and the oldest ones as far as more bytes need their place. */
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
