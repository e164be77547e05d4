/** Runs work of the same key one after the other in this process, in the order of arrival. */
export interface Turns {
  /** @throws NoTurn, and what `work` fails with */
  take<T>(key: string, work: () => Promise<T>): Promise<T>
  /** The same for several keys at once. @throws NoTurn, and what `work` fails with */
  takeAll<T>(keys: readonly string[], work: () => Promise<T>): Promise<T>
}

/** The turn did not come in time, because too much work waits for the same key. Nothing was done. */
export class NoTurn extends Error {
  override name = 'NoTurn'
}

/** About as long as callers wait for a result. */
const longestWaitMS = 30_000

export function createTurns(): Turns {
  /** The last work of each key. */
  const running = new Map<string, Promise<unknown>>()

  async function after<T>(before: readonly Promise<unknown>[], work: () => Promise<T>): Promise<T> {
    const untilMS = performance.now() + longestWaitMS
    await Promise.allSettled(before)
    if (performance.now() > untilMS) throw new NoTurn(`no turn within ${longestWaitMS} ms`)
    return work()
  }

  /** Settles when the work is over, however it ended; only its caller gets the error. */
  async function end(key: string, run: Promise<unknown>): Promise<void> {
    await Promise.allSettled([run])
    if (running.get(key) === run) running.delete(key)
  }

  /** All keys are taken at the same moment, so that no two wait for each other. */
  function takeAll<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const run = after(
      keys.flatMap((key) => running.get(key) ?? []),
      work,
    )
    for (const key of keys) {
      running.set(key, run)
      void end(key, run)
    }
    return run
  }

  return { takeAll, take: (key, work) => takeAll([key], work) }
}
