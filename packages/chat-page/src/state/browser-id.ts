const key = 'parley.chat.device'

/** Names this browser; undefined where it keeps nothing. */
export function browserID(storage: Storage | undefined): string | undefined {
  try {
    const kept = storage?.getItem(key) ?? crypto.randomUUID()
    storage?.setItem(key, kept)
    return storage && kept
  } catch {
    // No space, or plain http, where there are no notifications either.
    return undefined
  }
}
