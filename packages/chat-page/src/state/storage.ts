/** A browser storage; undefined if it is missing or blocked. */
export function storageOf(name: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    // Null in Android WebViews without DOM storage.
    return window[name] ?? undefined
  } catch {
    return undefined
  }
}
