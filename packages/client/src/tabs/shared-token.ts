import type { FetchToken, TokenAsked } from '../connection/token-source.ts'
import { createPause } from '../pauses.ts'

/** A tab that is frozen while it fetches keeps the others waiting for so long. */
const longestWaitMS = 10_000
/** One that another tab fetched longer ago may have ended too. */
const freshMS = 60_000
/** How long another tab has to say that it has a newer one: its message may arrive after its turn has ended. */
const answerMS = 300

export interface FetchedToken {
  token: string
  /** By the clock of the device: the latest is the one that is good. */
  atMS: number
}

interface SharedTokenOptions {
  /** Runs the work while no other tab does; fails with the signal. */
  alone: (signal: AbortSignal, work: () => Promise<void>) => Promise<void>
  /** The user of this tab, once a token has proved it. */
  user: () => string | undefined
  /** Whether a token is that user's, by Parley. */
  isOfUser: (token: string) => Promise<boolean>
  /** Tells the other tabs of the user. */
  tell: (user: string, fetched: FetchedToken) => void
  /** Asks them for one that was fetched since then. */
  ask: (user: string, sinceMS: number) => void
}

/**
 * Tabs that need a token at the same time share the one that the first of them fetches: issuing another may end it. Only tabs
 * that have proved the same user share, and only tokens that Parley takes for that user.
 */
export function shareToken(fetchNew: FetchToken, { alone, user, isOfUser, tell, ask }: SharedTokenOptions) {
  let latest: (FetchedToken & { user: string }) | undefined
  const pause = createPause()
  /** Of this tab's user. */
  const latestOf = (of: string) => (latest?.user === of ? latest : undefined)

  /** A token of another tab. */
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

  /** The token may be another user's: the tab's own session may have changed. */
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
        // The others' turns come once they can have it.
        if (token !== asked.last) await share(token).catch(() => undefined)
      }
      const workOrFail = () => work().catch(reject)
      alone(wait.signal, workOrFail).catch(workOrFail)
    })
  }

  return {
    fetch,
    /** Another tab of the user has it. */
    heard: (of: string, fetched: FetchedToken): void => {
      if (fetched.atMS <= (latestOf(of)?.atMS ?? 0)) return
      latest = { ...fetched, user: of }
      pause.end()
    },
    /** Another tab of the user wants one. */
    answer: (of: string, sinceMS: number): void => {
      const known = latestOf(of)
      if (known && known.atMS > sinceMS) tell(of, { token: known.token, atMS: known.atMS })
    },
  }
}
