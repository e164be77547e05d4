export interface OutageWatch {
  /** An attempt failed. */
  failed: (error: Error) => void
  /** An attempt succeeded. */
  ended: () => void
}

/**
 * Reports an outage instead of each failed attempt: its first failure, failures of another cause, and its end.
 * @param onFailure called once per cause; messages that differ only in numbers, such as ports or delays, are one cause
 */
export function watchOutage(onFailure: (error: Error) => void, onEnd: () => void = () => undefined): OutageWatch {
  const causes = new Set<string>()
  return {
    failed(error) {
      const cause = error.message.replaceAll(/\d+/g, '')
      if (causes.has(cause)) return
      causes.add(cause)
      onFailure(error)
    },
    ended() {
      if (causes.size === 0) return
      causes.clear()
      onEnd()
    },
  }
}
