/** The interval of admissions, and how long unused slots are kept. */
const stepMS = 10
/** A client with a longer wait is refused, and tries another node. */
const longestWaitSeconds = 15

/** A waiting socket. */
interface Waiting {
  letIn: () => void
  isThere: () => boolean
}

/**
 * Admits a storm of clients at an even rate, so that the node can serve connected ones: a login costs work (reading token and
 * rooms, joining), a waiting connection does not. Addresses take turns, so a busy one does not delay the others.
 */
export interface Admissions {
  /**
   * Resolves in the caller's turn, or in the turn of a caller that has gone; first come, first served within an address.
   * @param address one client address: see address-block.ts
   */
  turn(address: string, isThere: () => boolean): Promise<void>
  /** Number of waiting callers. */
  readonly waiting: number
  /** Whether this address's queue is so long that the caller is better served by another node. */
  isFull(address: string): boolean
}

/** @param perSecond 0 admits everyone at once */
export function createAdmissions(perSecond: number): Admissions {
  const most = Math.max(1, (perSecond * stepMS) / 1000)
  const tooMany = perSecond * longestWaitSeconds
  /** The addresses in order of their turns. */
  const byAddress = new Map<string, Waiting[]>()
  let waiting = 0
  let places = most
  let lastMS = performance.now()
  let timer: NodeJS.Timeout | undefined

  /** The next caller; its address then goes to the end. */
  function next(): Waiting | undefined {
    for (const [address, queue] of byAddress) {
      byAddress.delete(address)
      const one = firstThere(queue)
      if (queue.length > 0) byAddress.set(address, queue)
      if (one) return one
    }
    return undefined
  }

  /**
   * Takes the first caller from the queue. Callers that have gone are admitted too, without using a slot, and fail by themselves.
   */
  function firstThere(queue: Waiting[]): Waiting | undefined {
    for (let one = queue.shift(); one; one = queue.shift()) {
      waiting--
      if (one.isThere()) return one
      one.letIn()
    }
    return undefined
  }

  function letIn(): void {
    const now = performance.now()
    places = Math.min(most, places + ((now - lastMS) * perSecond) / 1000)
    lastMS = now
    for (let one = places >= 1 ? next() : undefined; one; one = places >= 1 ? next() : undefined) {
      places--
      one.letIn()
    }
    timer = waiting > 0 ? setTimeout(letIn, stepMS) : undefined
  }

  return {
    turn: (address, isThere) =>
      new Promise((resolve) => {
        if (perSecond === 0) return resolve()
        const queue = byAddress.get(address)
        const one = { letIn: resolve, isThere }
        if (queue) queue.push(one)
        else byAddress.set(address, [one])
        waiting++
        if (timer === undefined) letIn()
      }),
    get waiting() {
      return waiting
    },
    isFull(address) {
      const own = byAddress.get(address)?.length ?? 0
      // Callers before the next one: those of its address, and of each other address at most one more than that.
      const before = Math.min(waiting, (own + 1) * byAddress.size)
      return before > 0 && before >= tooMany
    },
  }
}
