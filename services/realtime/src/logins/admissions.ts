/** The interval of admissions, and how long unused slots are kept. */
const stepMS = 10
/** A client with a longer wait is refused, and tries another node. */
const longestWaitSeconds = 15

interface Waiting {
  admit: () => void
  isConnected: () => boolean
}

/**
 * Admits a storm of clients at an even rate, so that the node can serve connected ones: a login costs work (reading token and
 * rooms, joining), a waiting connection does not. Addresses take turns, so a busy one does not delay the others.
 * @param perSecond 0 admits everyone at once
 */
export function createAdmissions(perSecond: number) {
  const max = Math.max(1, (perSecond * stepMS) / 1000)
  const tooMany = perSecond * longestWaitSeconds
  /** The addresses in order of their turns. */
  const byAddress = new Map<string, Waiting[]>()
  let waiting = 0
  let slots = max
  let lastMS = performance.now()
  let timer: NodeJS.Timeout | undefined

  /** The next caller; its address then goes to the end. */
  function next(): Waiting | undefined {
    for (const [address, queue] of byAddress) {
      byAddress.delete(address)
      const one = firstConnected(queue)
      if (queue.length > 0) byAddress.set(address, queue)
      if (one) return one
    }
    return undefined
  }

  /**
   * Takes the first connected caller from the queue. Disconnected ones are admitted without a slot, and fail by themselves.
   */
  function firstConnected(queue: Waiting[]): Waiting | undefined {
    for (let one = queue.shift(); one; one = queue.shift()) {
      waiting--
      if (one.isConnected()) return one
      one.admit()
    }
    return undefined
  }

  function admit(): void {
    const now = performance.now()
    slots = Math.min(max, slots + ((now - lastMS) * perSecond) / 1000)
    lastMS = now
    for (let one = slots >= 1 ? next() : undefined; one; one = slots >= 1 ? next() : undefined) {
      slots--
      one.admit()
    }
    timer = waiting > 0 ? setTimeout(admit, stepMS) : undefined
  }

  return {
    /**
     * Resolves in the caller's turn: first come, first served within an address. A disconnected caller takes no slot.
     * @param address one client address: see address-block.ts
     */
    turn: (address: string, isConnected: () => boolean) =>
      new Promise<void>((resolve) => {
        if (perSecond === 0) return resolve()
        const queue = byAddress.get(address)
        const one = { admit: resolve, isConnected }
        if (queue) queue.push(one)
        else byAddress.set(address, [one])
        waiting++
        if (timer === undefined) admit()
      }),
    /** Number of waiting callers. */
    get waiting() {
      return waiting
    },
    /** Whether this address's queue is so long that the caller is better served by another node. */
    isFull(address: string) {
      const own = byAddress.get(address)?.length ?? 0
      // Callers before the next one: those of its address, and of each other address at most one more than that.
      const before = Math.min(waiting, (own + 1) * byAddress.size)
      return before > 0 && before >= tooMany
    },
  }
}
