interface Target {
  addEventListener?: (type: string, listener: () => void) => void
  removeEventListener?: (type: string, listener: () => void) => void
  visibilityState?: string
}

/**
 * Calls the listener in a browser when the network is back or the page becomes visible. Returns a function that ends
 * it.
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
