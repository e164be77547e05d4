interface Target {
  addEventListener?: (type: string, listener: () => void) => void
  removeEventListener?: (type: string, listener: () => void) => void
  visibilityState?: string
}

/** Calls the listener when a browser's network returns or the page becomes visible. Returns a function to stop. */
export function onNetworkBack(listener: () => void): () => void {
  const page = globalThis as Target & { document?: Target }
  const { document } = page
  const onVisible = () => {
    if (document?.visibilityState === 'visible') listener()
  }
  page.addEventListener?.('online', listener)
  document?.addEventListener?.('visibilitychange', onVisible)
  return () => {
    page.removeEventListener?.('online', listener)
    document?.removeEventListener?.('visibilitychange', onVisible)
  }
}
