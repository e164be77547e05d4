import type { FetchToken, TokenAsked } from '../connection/token-source.ts'
import { createPause } from '../pauses.ts'

/** How long a tab that freezes while fetching blocks the others. */
const longestWaitMS = 10_000
/** A token that another tab fetched earlier than this may have expired too. */
const freshMS = 60_000
/** How long to wait for another tab's newer token: its message may arrive after its lock is released. */
const answerMS = 300

export interface FetchedToken {
  token: string
  /** Fetch time by the device's clock. The latest token is the valid one. */
  atMS: number
}

interface SharedTokenOptions {
  /** Runs `work` under a lock shared by all tabs. Rejects if the signal aborts the wait. */
  alone: (signal: AbortSignal, work: () => Promise<void>) => Promise<void>
  /** This tab's user, once verified by a token. */
  user: () => string | undefined
  /** Asks Parley whether a token is that user's. */
  isOfUser: (token: string) => Promise<boolean>
  /** Sends a token to the user's other tabs. */
  tell: (user: string, fetched: FetchedToken) => void
  /** Asks them for a token fetched since then. */
  ask: (user: string, sinceMS: number) => void
}

/**
 * Tabs that need a token at the same time share the one that the first of them fetches, since issuing another may
 * revoke it. Only tabs with the same verified user share, and only tokens that Parley accepts for that user.
 */
export function shareToken(fetchNew: FetchToken, { alone, user, isOfUser, tell, ask }: SharedTokenOptions) {
  let latest: (FetchedToken & { user: string }) | undefined
  const pause = createPause()
  /** The latest token, if it is this user's. A time in the future says nothing: the clock was set back since. */
  const latestOf = (of: string) => (latest?.user === of && latest.atMS <= Date.now() ? latest : undefined)

  /** Finds a token that another tab has fetched. */
  async function findToken({ last }: TokenAsked): Promise<string | undefined> {
    const of = user()
    if (of === undefined) return undefined
    const find = () => {
      const known = of === user() ? latestOf(of) : undefined
      return known && known.token !== last && Date.now() - known.atMS < freshMS ? known.token : undefined
    }
    if (find() === undefined) {
      ask(of, latestOf(of)?.atMS ?? 0)
      await pause.during(answerMS)
    }
    return find()
  }

  /** Shares a token after a check, since the app's session may have switched to another user. */
  async function share(token: string): Promise<void> {
    const of = user()
    const atMS = Date.now()
    if (of === undefined || !(await isOfUser(token)) || of !== user()) return
    latest = { token, atMS, user: of }
    tell(of, { token, atMS })
  }

  async function fetch(asked: TokenAsked): Promise<string> {
    const wait = new AbortController()
    const timer = setTimeout(() => wait.abort(), longestWaitMS)
    return new Promise((resolve, reject) => {
      const work = async () => {
        clearTimeout(timer)
        const found = asked.refused ? await findToken(asked) : undefined
        if (found !== undefined) return resolve(found)
        const token = await fetchNew(asked)
        resolve(token)
        // Keep the lock until the other tabs can have the token.
        if (token !== asked.last) await share(token).catch(() => undefined)
      }
      const workOrFail = () => work().catch(reject)
      alone(wait.signal, workOrFail).catch(workOrFail)
    })
  }

  return {
    fetch,
    /** Another tab of the user has sent a token. */
    heard: (of: string, fetched: FetchedToken): void => {
      if (fetched.atMS <= (latestOf(of)?.atMS ?? 0)) return
      latest = { ...fetched, user: of }
      pause.end()
    },
    /** Another tab of the user asks for a token. */
    answer: (of: string, sinceMS: number): void => {
      const known = latestOf(of)
      if (known && known.atMS > sinceMS) tell(of, { token: known.token, atMS: known.atMS })
    },
  }
}
