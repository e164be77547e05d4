export interface Gathering<Item> {
  /** The largest batch. */
  most: number
  /** How long to wait for more items, in milliseconds; by default a single item goes at once. */
  waitMS?: number
  /** How many batches may be in flight; 1 by default. */
  concurrency?: number
  /**
   * A further batch begins only when the last has been in flight for this long, in milliseconds; by default at once. While
   * the database is quick, batches are larger and fewer; one that hangs does not delay the others.
   */
  patienceMS?: number
  /** Items with the same key are never in flight in two batches at once: they would only wait for each other. */
  keyOf?: (item: Item) => string | undefined
  /** Whether an error of a batch may be one item's fault: then each is tried by itself, and fails alone. */
  isOneItemsFault?: (error: unknown) => boolean
}

interface Waiting<Item, Outcome> {
  item: Item
  /** undefined: it may go while anything else is in flight. */
  key: string | undefined
  resolve: (outcome: Outcome | Promise<Outcome>) => void
  reject: (error: unknown) => void
}

/**
 * Gathers concurrent single writes, or reads, into batches: items that arrive while batches are in flight make the
 * next one. A single item goes at once.
 *
 * @param write one round trip for many items; returns one outcome per item, in order. When it throws,
 *   every item of the batch fails with that error. An outcome that takes longer than the others may be a promise: then only
 *   items of the same key wait for it.
 */
export function gather<Item, Outcome>(
  write: (items: Item[]) => Promise<(Outcome | Promise<Outcome>)[]>,
  { most, waitMS, concurrency = 1, patienceMS = 0, keyOf = () => undefined, isOneItemsFault }: Gathering<Item>,
): (item: Item) => Promise<Outcome> {
  let gathered: Waiting<Item, Outcome>[] = []
  const busyKeys = new Set<string>()
  let inFlight = 0
  let lastBeganMS = 0
  let scheduled = false

  function takeBatch(): Waiting<Item, Outcome>[] {
    const batch = gathered.filter(({ key }) => key === undefined || !busyKeys.has(key)).slice(0, most)
    const taken = new Set(batch)
    gathered = gathered.filter((waiting) => !taken.has(waiting))
    return batch
  }

  async function writeBatch(batch: Waiting<Item, Outcome>[]): Promise<void> {
    inFlight++
    lastBeganMS = performance.now()
    const keys = new Set(batch.flatMap(({ key }) => key ?? []))
    for (const key of keys) busyKeys.add(key)
    try {
      const outcomes = await write(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, i) => {
        resolve(outcomes[i] as Outcome)
      })
      for (const [key, late] of lateOutcomes(batch, outcomes)) {
        keys.delete(key)
        void releaseAfter(key, late)
      }
    } catch (error) {
      if (batch.length > 1 && isOneItemsFault?.(error))
        await Promise.all(batch.map((waiting) => writeAlone(write, waiting)))
      else for (const { reject } of batch) reject(error)
    }
    for (const key of keys) busyKeys.delete(key)
    inFlight--
    writeGathered()
  }

  async function releaseAfter(key: string, late: readonly (Outcome | Promise<Outcome>)[]): Promise<void> {
    await Promise.allSettled(late)
    busyKeys.delete(key)
    writeGathered()
  }

  function writeGathered(): void {
    scheduled = false
    while (gathered.length > 0 && inFlight < concurrency && patienceLeftMS() <= 0) {
      const batch = takeBatch()
      if (batch.length === 0) return
      void writeBatch(batch)
    }
    schedule()
  }

  function patienceLeftMS(): number {
    return inFlight === 0 ? 0 : lastBeganMS + patienceMS - performance.now()
  }

  function schedule(): void {
    if (scheduled || gathered.length === 0 || inFlight >= concurrency) return
    scheduled = true
    const leftMS = Math.max(waitMS ?? 0, patienceLeftMS())
    // After the current turn of the event loop, so that requests which were read from sockets together go together.
    if (leftMS <= 0) setImmediate(writeGathered)
    else setTimeout(writeGathered, leftMS)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, key: keyOf(item), resolve, reject })
      schedule()
    })
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

/** The promises among the outcomes, by the key of their items. */
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
