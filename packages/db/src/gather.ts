export interface Gathering<Item> {
  /** Items per batch at most. */
  most: number
  /** How long to wait for company, in milliseconds; by default a lone write goes at once. */
  waitMS?: number
  /** Batches on their way at the same time; 1 by default. */
  concurrency?: number
  /**
   * A further batch begins only when the last has been on its way for so long, in milliseconds; by default at once. While
   * the database is quick, batches are larger and fewer; one that hangs does not keep the others waiting.
   */
  patienceMS?: number
  /** Items with the same key are never on their way in two batches at once: they would only wait for each other. */
  keyOf?: (item: Item) => string
}

interface Waiting<Item, Outcome> {
  item: Item
  key: string
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

/**
 * Gathers concurrent single writes, or reads, into batches: what arrives while batches are on their way makes the
 * next one. A lone one goes at once, so nobody waits for company.
 *
 * @param write one round trip for many items; answers one outcome per item, in order. When it throws,
 *   every item of the batch fails with that error.
 */
export function gather<Item, Outcome>(
  write: (items: Item[]) => Promise<Outcome[]>,
  { most, waitMS, concurrency = 1, patienceMS = 0, keyOf = () => '' }: Gathering<Item>,
): (item: Item) => Promise<Outcome> {
  let gathered: Waiting<Item, Outcome>[] = []
  const busyKeys = new Set<string>()
  let underWay = 0
  let lastBeganMS = 0
  let scheduled = false

  function takeBatch(): Waiting<Item, Outcome>[] {
    const batch: Waiting<Item, Outcome>[] = []
    const left: Waiting<Item, Outcome>[] = []
    for (const waiting of gathered) {
      if (batch.length < most && !busyKeys.has(waiting.key)) batch.push(waiting)
      else left.push(waiting)
    }
    gathered = left
    return batch
  }

  async function writeBatch(batch: Waiting<Item, Outcome>[]): Promise<void> {
    underWay++
    lastBeganMS = performance.now()
    const keys = new Set(batch.map(({ key }) => key))
    for (const key of keys) busyKeys.add(key)
    try {
      const outcomes = await write(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, i) => {
        resolve(outcomes[i] as Outcome)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    for (const key of keys) busyKeys.delete(key)
    underWay--
    writeGathered()
  }

  function writeGathered(): void {
    scheduled = false
    while (gathered.length > 0 && underWay < concurrency && patienceLeftMS() <= 0) {
      const batch = takeBatch()
      if (batch.length === 0) return
      void writeBatch(batch)
    }
    schedule()
  }

  function patienceLeftMS(): number {
    return underWay === 0 ? 0 : lastBeganMS + patienceMS - performance.now()
  }

  function schedule(): void {
    if (scheduled || gathered.length === 0 || underWay >= concurrency) return
    scheduled = true
    const leftMS = Math.max(waitMS ?? 0, patienceLeftMS())
    // Leaving the current turn first lets requests that were read from sockets together go together.
    if (leftMS <= 0) setImmediate(writeGathered)
    else setTimeout(writeGathered, leftMS)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, key: keyOf(item), resolve, reject })
      schedule()
    })
}
