/** A storage of the browser; undefined where it is forbidden, or there is none. */
export function storageOf(name: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    // Null in Android's web views without DOM storage.
    return window[name] ?? undefined
  } catch {
    return undefined
  }
}
