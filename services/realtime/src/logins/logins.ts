const nameOf = (app: string, tokenDigest: string) => `${app}\0${tokenDigest}`

/** The logins in flight on this node: node commands that arrive meanwhile apply to them too. */
export function createLogins() {
  const inFlight = new Map<Promise<unknown>, Set<string>>()

  return {
    /** Runs a login. `hasEnded` returns whether one of the app's tokens was revoked, or the app deleted, since it began. */
    async watch<T>(login: (hasEnded: (app: string, tokenDigest: string) => boolean) => Promise<T>): Promise<T> {
      const ended = new Set<string>()
      const outcome = login((app, tokenDigest) => ended.has(nameOf(app, tokenDigest)) || ended.has(app))
      inFlight.set(outcome, ended)
      try {
        return await outcome
      } finally {
        inFlight.delete(outcome)
      }
    },
    revoked(app: string, tokenDigests: readonly string[]) {
      for (const ended of inFlight.values()) for (const tokenDigest of tokenDigests) ended.add(nameOf(app, tokenDigest))
    },
    appDeleted(app: string) {
      for (const ended of inFlight.values()) ended.add(app)
    },
    /** Resolves when all logins now in flight have succeeded or failed. */
    async finished() {
      await Promise.allSettled(inFlight.keys())
    },
  }
}
export type Logins = ReturnType<typeof createLogins>
