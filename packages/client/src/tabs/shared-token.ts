import type { FetchToken, TokenAsked } from '../connection/token-source.ts'
import { createPause } from '../pauses.ts'

/** A tab that is frozen while it fetches keeps the others waiting for so long. */
const longestWaitMS = 10_000
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
  /** Tells the other tabs of the user. */
  tell: (fetched: FetchedToken) => void
  /** Asks them for one that was fetched since then. */
  ask: (sinceMS: number) => void
}

/** Tabs that need a token at the same time share the one that the first of them fetches: issuing another may end it. */
export function shareToken(fetchNew: FetchToken, { alone, tell, ask }: SharedTokenOptions) {
  let latest: FetchedToken | undefined
  const latestMS = () => latest?.atMS ?? 0
  const pause = createPause()

  async function fetchOne(asked: TokenAsked): Promise<string> {
    const isKnown = () => latest !== undefined && latest.token !== asked.last
    if (asked.refused && !isKnown()) {
      ask(latestMS())
      await pause.during(answerMS)
    }
    if (asked.refused && latest && isKnown()) return latest.token
    const token = await fetchNew(asked)
    latest = { token, atMS: Date.now() }
    if (token !== asked.last) tell(latest)
    return token
  }

  async function fetch(asked: TokenAsked): Promise<string> {
    let fetching: Promise<string> | undefined
    const wait = new AbortController()
    const timer = setTimeout(() => wait.abort(), longestWaitMS)
    const work = async () => {
      clearTimeout(timer)
      fetching = fetchOne(asked)
      await fetching.catch(() => undefined)
    }
    await alone(wait.signal, work).catch(() => clearTimeout(timer))
    return fetching ?? fetchOne(asked)
  }

  return {
    fetch,
    /** Another tab has it. */
    heard: (fetched: FetchedToken): void => {
      if (fetched.atMS <= latestMS()) return
      latest = fetched
      pause.end()
    },
    /** Another tab wants one. */
    answer: (sinceMS: number): void => {
      if (latest && latest.atMS > sinceMS) tell(latest)
    },
  }
}
