import { setTimeout as sleep } from 'node:timers/promises'

/** Deaths in a row after which a process is given up. */
const maxDeaths = 6
/** A process that has lived for `steadyMS` has not died in a row. */
const usual = { steadyMS: 30_000, firstPauseMS: 500 }

/** Shared by all processes that are kept running. */
export interface Keeping {
  say: (line: string) => void
  /** Called, with a whole sentence, when it has died too often in a row. */
  giveUp: (sentence: string) => void
  /** Aborts when everything ends: nothing is started from then on. */
  signal: AbortSignal
}

interface KeptRunning extends Keeping {
  name: string
  /** Starts it again; resolves when it is ready, rejects when it ends before. */
  start: () => Promise<unknown>
}

/**
 * Handles each death of a process: reports it and restarts the process with backoff, from half a second.
 *
 * @returns call it at each unexpected end, with a whole sentence
 */
export function startAgain(
  { name, start, say, giveUp, signal }: KeptRunning,
  { steadyMS, firstPauseMS } = usual,
): (sentence: string) => Promise<void> {
  let deaths = 0
  let readyAt = performance.now()
  const onDeath = async (sentence: string): Promise<void> => {
    if (signal.aborted) return
    if (performance.now() - readyAt > steadyMS) deaths = 0
    if (++deaths >= maxDeaths) return giveUp(`${sentence}\n${name} died ${deaths} times in a row, and is given up.`)
    const pauseMS = firstPauseMS * 2 ** (deaths - 1)
    say(`${sentence} Starting it again in ${pauseMS / 1_000} s`)
    // Rejects when everything ends.
    const isOver = await sleep(pauseMS, false, { signal }).catch(() => true)
    if (isOver) return
    try {
      await start().finally(() => (readyAt = performance.now()))
    } catch (error) {
      return onDeath(error instanceof Error ? error.message : String(error))
    }
    say(`${name}: ready again`)
  }
  return onDeath
}
