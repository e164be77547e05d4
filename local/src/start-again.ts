import { setTimeout as sleep } from 'node:timers/promises'

/** Consecutive deaths after which a process is given up. */
const maxDeaths = 6
/** A process that lived for `steadyMS` starts a new count of deaths. */
const usual = { steadyMS: 30_000, firstPauseMS: 500 }

/** Options shared by all supervised processes. */
export interface Keeping {
  say: (line: string) => void
  /** Called with a sentence when a process has died too often in a row. */
  giveUp: (sentence: string) => void
  /** Aborted at shutdown: nothing is started from then on. */
  signal: AbortSignal
}

interface KeptRunning extends Keeping {
  name: string
  /** Restarts the process; resolves when it is ready, rejects when it exits first. */
  start: () => Promise<unknown>
}

/** Reports each death of a process, and restarts it with backoff from half a second. Call the result at each death. */
export function startAgain(
  { name, start, say, giveUp, signal }: KeptRunning,
  { steadyMS, firstPauseMS } = usual,
): (sentence: string) => Promise<void> {
  let deaths = 0
  let readyAt = performance.now()
  const onDeath = async (sentence: string): Promise<void> => {
    if (signal.aborted) return
    if (performance.now() - readyAt > steadyMS) deaths = 0
    if (++deaths >= maxDeaths) return giveUp(`${sentence}\n${name} died ${deaths} times in a row and is not restarted.`)
    const pauseMS = firstPauseMS * 2 ** (deaths - 1)
    say(`${sentence} Starting it again in ${pauseMS / 1_000} s`)
    // Rejects at shutdown.
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
