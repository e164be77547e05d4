interface Target {
  addEventListener?: (type: string, listener: () => void) => void
  removeEventListener?: (type: string, listener: () => void) => void
  visibilityState?: string
}

/**
 * In a browser, calls the listener when the network returns or the page becomes visible. Returns an unsubscribe
 * function.
 */
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
