/** A place in the queue of one or several keys, taken on creation. */
interface Lock {
  /** Whether every earlier lock of its keys has been released. */
  readonly isReady: boolean
  /** Settles when the lock is ready. */
  wait(): Promise<void>
  /** Lets later locks follow, once the earlier ones are released too. Calling it again does nothing. */
  release(): void
}

interface Waiter {
  keys: readonly string[]
  isReleased: boolean
  /** Called when the waiter may have reached the front. */
  look: (() => void) | undefined
}

/** Locks by key, first come first served, inside this process. */
export class KeyedMutex {
  readonly #lines = new Map<string, Waiter[]>()
  #waiting = 0

  /** Number of locks that someone is waiting for. */
  get waiting(): number {
    return this.#waiting
  }

  /** Number of unreleased locks of a key. */
  locksOf(key: string): number {
    return this.#lines.get(key)?.length ?? 0
  }

  /** Takes all keys in the same turn of the event loop, so that no two locks wait for each other. */
  lock(...keys: readonly string[]): Lock {
    const waiter: Waiter = { keys: [...new Set(keys)], isReleased: false, look: undefined }
    for (const key of waiter.keys) {
      const line = this.#lines.get(key)
      if (line) line.push(waiter)
      else this.#lines.set(key, [waiter])
    }
    const isFirst = () => this.#isFirst(waiter)
    return {
      get isReady() {
        return isFirst()
      },
      wait: () => this.#wait(waiter),
      release: () => this.#release(waiter),
    }
  }

  /** Runs work while holding the keys; rejects with the error of the work. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const lock = this.lock(...keys)
    try {
      await lock.wait()
      return await work()
    } finally {
      lock.release()
    }
  }

  #isFirst(waiter: Waiter): boolean {
    return waiter.keys.every((key) => this.#lines.get(key)?.[0] === waiter)
  }

  async #wait(waiter: Waiter): Promise<void> {
    if (this.#isFirst(waiter)) return
    this.#waiting++
    await new Promise<void>((resolve) => {
      waiter.look = () => {
        if (this.#isFirst(waiter)) resolve()
      }
    })
    this.#waiting--
  }

  #release(waiter: Waiter): void {
    if (waiter.isReleased) return
    waiter.isReleased = true
    for (const key of waiter.keys) {
      const line = this.#lines.get(key) ?? []
      while (line[0]?.isReleased) line.shift()
      if (line.length === 0) this.#lines.delete(key)
    }
    for (const key of waiter.keys) this.#lines.get(key)?.[0]?.look?.()
  }
}
