import { KeyedMutex } from '@parley/async/keyed-mutex'

/** Transactions that would conflict take turns in this process, in order of arrival. */
export interface Turns {
  /** Runs `work` while holding all keys. @throws NoTurn, or the error of `work` */
  take<T>(keys: readonly string[], work: () => Promise<T>): Promise<T>
}

/** The turn did not come in time: too much work waits for the same key. Nothing was done. */
export class NoTurn extends Error {
  override name = 'NoTurn'
}

/** About as long as callers wait for a result. */
const longestWaitMS = 30_000

export function createTurns(): Turns {
  const mutex = new KeyedMutex()
  return {
    take(keys, work) {
      const untilMS = performance.now() + longestWaitMS
      return mutex.run(keys, () => {
        if (performance.now() > untilMS) throw new NoTurn(`no turn within ${longestWaitMS} ms`)
        return work()
      })
    },
  }
}
