/** Whether the user is looking at the page. A visible window beside the one in use has no focus. */
export const isLookedAt = (): boolean => !document.hidden && document.hasFocus()

/** Calls the listener when `isLookedAt()` may have changed. Returns an unsubscribe function. */
export function onLook(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  window.addEventListener('focus', listener)
  return () => {
    document.removeEventListener('visibilitychange', listener)
    window.removeEventListener('focus', listener)
  }
}
