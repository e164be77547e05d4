export interface Batching<Item> {
  max: number
  /** How long a single item waits for more, in milliseconds; 0 by default. */
  waitMS?: number
  /** How many batches may be in flight; 1 by default. */
  concurrency?: number
  /**
   * Starts another batch only after the previous one has been in flight for this long, in milliseconds; 0 by default.
   * Batches are larger and fewer while the database is fast, and a hanging batch does not block the others.
   */
  maxWaitMS?: number
  /**
   * Callers often send again right after a result. After a batch, the next one waits until it has as many items, for at
   * most this share of the batch's duration and at most `maxRestMS`; 0 by default.
   */
  restShare?: number
  /** Items with the same key are never in flight in two batches at once, where they would only wait for each other. */
  keyOf?: (item: Item) => string | undefined
  /** Whether a single item may have caused the error. If so, each item of the batch is retried alone. */
  isOneItemsFault?: (error: unknown) => boolean
}

interface Waiting<Item, Outcome> {
  item: Item
  /** undefined: may be in flight together with any other item. */
  key: string | undefined
  resolve: (outcome: Outcome | Promise<Outcome>) => void
  reject: (error: unknown) => void
}

/** Batches that end within this time of each other count as one for `restShare`. */
const togetherMS = 1
/** Upper bound for the wait of `restShare`. */
const maxRestMS = 10

/**
 * Batches concurrent single reads or writes: items that arrive while batches are in flight form the next one. A single
 * item is written at once.
 *
 * @param write one round trip for many items; returns one outcome per item, in order. If it throws, every item of the
 * batch fails with that error. A slow outcome may be a promise: only items with the same key wait for it.
 */
export function batched<Item, Outcome>(
  write: (items: Item[]) => Promise<(Outcome | Promise<Outcome>)[]>,
  { max, waitMS = 0, concurrency = 1, keyOf = () => undefined, isOneItemsFault, ...pacing }: Batching<Item>,
): (item: Item) => Promise<Outcome> {
  let waiting: Waiting<Item, Outcome>[] = []
  const busyKeys = new Set<string>()
  let inFlight = 0
  const pace = createPace({ max, ...pacing })
  let timer: NodeJS.Timeout | undefined
  let isDue = false

  async function writeBatch(batch: Waiting<Item, Outcome>[]): Promise<void> {
    inFlight++
    const ended = pace.began()
    const keys = new Set(batch.flatMap(({ key }) => key ?? []))
    let late = 0
    for (const key of keys) busyKeys.add(key)
    try {
      const outcomes = await write(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, i) => {
        resolve(outcomes[i] as Outcome)
      })
      for (const [key, ownLate] of lateOutcomes(batch, outcomes)) {
        keys.delete(key)
        late += ownLate.length
        void releaseAfter(key, ownLate, ended)
      }
    } catch (error) {
      if (batch.length > 1 && isOneItemsFault?.(error))
        await Promise.all(batch.map((waiting) => writeAlone(write, waiting)))
      else for (const { reject } of batch) reject(error)
    }
    for (const key of keys) busyKeys.delete(key)
    inFlight--
    ended(batch.length - late)
    writeWaiting()
  }

  async function releaseAfter(key: string, late: readonly unknown[], ended: (count: number) => void): Promise<void> {
    await Promise.allSettled(late)
    busyKeys.delete(key)
    ended(late.length)
    writeWaiting()
  }

  function writeWaiting(): void {
    isDue = false
    clearTimeout(timer)
    timer = undefined
    while (waiting.length > 0 && inFlight < concurrency && pace.delayMS(waiting.length, inFlight) <= 0) {
      const batch = waiting.filter(({ key }) => key === undefined || !busyKeys.has(key)).slice(0, max)
      if (batch.length === 0) return
      const taken = new Set(batch)
      waiting = waiting.filter((one) => !taken.has(one))
      void writeBatch(batch)
    }
    schedule()
  }

  function schedule(): void {
    if (isDue || waiting.length === 0 || inFlight >= concurrency) return
    const leftMS = Math.max(waitMS, pace.delayMS(waiting.length, inFlight))
    if (leftMS > 0) {
      timer ??= setTimeout(writeWaiting, leftMS)
      return
    }
    isDue = true
    // Waits for the current turn of the event loop to end, so that requests read from sockets together form one batch.
    setImmediate(writeWaiting)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, key: keyOf(item), resolve, reject })
      schedule()
    })
}

/** The same for writes without outcomes. */
export function batchedWrites<Item>(
  write: (items: Item[]) => Promise<unknown>,
  batching: Batching<Item>,
): (item: Item) => Promise<void> {
  return batched(async (items: Item[]): Promise<void[]> => {
    await write(items)
    return []
  }, batching)
}

/** Decides when the next batch may begin; see `maxWaitMS` and `restShare`. */
function createPace({ max, maxWaitMS = 0, restShare = 0 }: Pick<Batching<unknown>, 'max' | 'maxWaitMS' | 'restShare'>) {
  let lastBeganMS = 0
  /** The next batch waits for `enough` items until `untilMS`. */
  let rest = { enough: 0, sinceMS: 0, untilMS: 0 }
  return {
    /** Begins a batch. Call the result with the number of finished items, at its end or after each part. */
    began(): (count: number) => void {
      const beganMS = performance.now()
      lastBeganMS = beganMS
      return (count) => {
        if (count === 0) return
        const sinceMS = performance.now()
        // A batch that began after the previous one ended contains callers that have already come back.
        const isTogether = beganMS < rest.sinceMS && sinceMS - rest.sinceMS < togetherMS
        const untilMS = sinceMS + Math.min(maxRestMS, (sinceMS - beganMS) * restShare)
        rest = { enough: Math.min(max, (isTogether ? rest.enough : 0) + count), sinceMS, untilMS }
      }
    },
    /** Milliseconds until a batch may begin. */
    delayMS(waiting: number, inFlight: number): number {
      const nowMS = performance.now()
      const maxWaitLeftMS = inFlight === 0 ? 0 : lastBeganMS + maxWaitMS - nowMS
      return Math.max(maxWaitLeftMS, waiting < rest.enough ? rest.untilMS - nowMS : 0)
    },
  }
}

async function writeAlone<Item, Outcome>(
  write: (items: Item[]) => Promise<(Outcome | Promise<Outcome>)[]>,
  { item, resolve, reject }: Waiting<Item, Outcome>,
): Promise<void> {
  try {
    const [outcome] = await write([item])
    resolve(outcome as Outcome)
  } catch (error) {
    reject(error)
  }
}

function lateOutcomes<Item, Outcome>(
  batch: readonly Waiting<Item, Outcome>[],
  outcomes: readonly (Outcome | Promise<Outcome>)[],
): Map<string, (Outcome | Promise<Outcome>)[]> {
  const late = batch.flatMap(({ key }, i) => {
    const outcome = outcomes[i]
    return outcome instanceof Promise && key !== undefined ? [{ key, outcome }] : []
  })
  return new Map([...Map.groupBy(late, ({ key }) => key)].map(([key, own]) => [key, own.map(({ outcome }) => outcome)]))
}
