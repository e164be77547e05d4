/** The part of a browser page that reports changes by other tabs. */
interface Page {
  addEventListener?: (type: 'storage', listener: (event: StorageChange) => void) => void
  removeEventListener?: (type: 'storage', listener: (event: StorageChange) => void) => void
}

interface StorageChange {
  storageArea: unknown
  key: string | null
}

/** Calls the listener when another tab has changed the storage under a key. Returns an unsubscribe function. */
export function onStorageChange(storage: object | undefined, key: () => string, listener: () => void): () => void {
  const page = globalThis as Page
  const heard = (event: StorageChange) => {
    if (event.storageArea === storage && event.key === key()) listener()
  }
  if (storage) page.addEventListener?.('storage', heard)
  return () => page.removeEventListener?.('storage', heard)
}
