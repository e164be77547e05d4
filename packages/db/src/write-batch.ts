/**
 * Gathers concurrent single writes into batches: one batch is on its way at a time, and what arrives
 * meanwhile makes the next one. A lone write goes at once, so nobody waits for company.
 *
 * @param write one round trip for many items; answers one outcome per item, in order. When it throws,
 *   every item of the batch fails with that error.
 * @param most items per batch.
 */
export function gatherWrites<Item, Outcome>(
  write: (items: Item[]) => Promise<Outcome[]>,
  most: number,
): (item: Item) => Promise<Outcome> {
  type Waiting = { item: Item; resolve: (outcome: Outcome) => void; reject: (error: unknown) => void }
  let gathered: Waiting[] = []
  let busy = false

  async function writeGathered(): Promise<void> {
    busy = true
    while (gathered.length > 0) {
      const batch = gathered.slice(0, most)
      gathered = gathered.slice(most)
      try {
        const outcomes = await write(batch.map(({ item }) => item))
        batch.forEach(({ resolve }, i) => {
          resolve(outcomes[i] as Outcome)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    busy = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, resolve, reject })
      // Leaving the current turn first lets requests that were read from sockets together go together.
      if (!busy) {
        busy = true
        setImmediate(() => void writeGathered())
      }
    })
}
