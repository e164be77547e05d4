const key = 'parley.chat.device'

/** This browser's persistent ID; undefined if it cannot be stored. */
export function browserID(storage: Storage | undefined): string | undefined {
  try {
    const kept = storage?.getItem(key) ?? crypto.randomUUID()
    storage?.setItem(key, kept)
    return storage && kept
  } catch {
    // The storage is full, or the page uses plain http, which has no notifications anyway.
    return undefined
  }
}
