/** How far apart those who wait are let in, and for how long unused places are kept. */
const stepMS = 20
/** Who would have to wait for longer is better told to try another node. */
const longestWaitSeconds = 15

/**
 * Lets a storm of clients in at an even rate, between which the node serves those who are there: taking somebody in
 * (his token, his rooms, his place in them) is work, holding a connection that waits for it is not.
 */
export interface Admissions {
  /** Settles when it is the caller's turn; first come, first served. */
  turn(): Promise<void>
  /** How many wait for their turn. */
  readonly waiting: number
  /** So many wait that who comes now should go elsewhere. */
  readonly isFull: boolean
}

/** @param perSecond 0: everybody at once */
export function createAdmissions(perSecond: number): Admissions {
  const most = Math.max(1, (perSecond * stepMS) / 1000)
  const waiting: (() => void)[] = []
  let places = most
  let lastMS = performance.now()
  let timer: NodeJS.Timeout | undefined

  function letIn(): void {
    const now = performance.now()
    places = Math.min(most, places + ((now - lastMS) * perSecond) / 1000)
    lastMS = now
    while (places >= 1 && waiting.length > 0) {
      places--
      waiting.shift()?.()
    }
    timer = waiting.length > 0 ? setTimeout(letIn, stepMS) : undefined
  }

  return {
    turn: () =>
      new Promise((resolve) => {
        if (perSecond === 0) return resolve()
        waiting.push(resolve)
        if (timer === undefined) letIn()
      }),
    get waiting() {
      return waiting.length
    },
    get isFull() {
      return waiting.length > 0 && waiting.length >= perSecond * longestWaitSeconds
    },
  }
}
