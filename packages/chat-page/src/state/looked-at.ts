/** Whether somebody looks at the page: a window that is seen beside another one, in which they work, has no focus. */
export const isLookedAt = (): boolean => !document.hidden && document.hasFocus()

/** Calls when that may have changed. Returns a function that ends it. */
export function onLook(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  window.addEventListener('focus', listener)
  return () => {
    document.removeEventListener('visibilitychange', listener)
    window.removeEventListener('focus', listener)
  }
}
