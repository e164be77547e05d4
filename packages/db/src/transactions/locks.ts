import { KeyedMutex } from '@parley/async/keyed-mutex'

/** Serialises transactions of this process that would conflict, first come first served. */
export interface Locks {
  /** Runs `work` while holding all keys. @throws ContentionTimeout, or the error of `work` */
  run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T>
}

/** Too much work competes for the same key. Nothing was done. */
export class ContentionTimeout extends Error {
  override name = 'ContentionTimeout'
}

/** About as long as callers wait for a result. */
const maxWaitMS = 30_000

export function createLocks(): Locks {
  const mutex = new KeyedMutex()
  return {
    run(keys, work) {
      const deadlineMS = performance.now() + maxWaitMS
      return mutex.run(keys, () => {
        if (performance.now() > deadlineMS) throw new ContentionTimeout(`lock not acquired within ${maxWaitMS} ms`)
        return work()
      })
    },
  }
}
