/** Tracks promises in flight. */
export interface InFlight {
  readonly size: number
  /** Tracks the work until it settles, and returns it. The caller handles its failure. */
  add<T>(work: Promise<T>): Promise<T>
  /** Settles as soon as fewer than `max` are in flight. */
  below(max: number): Promise<void>
  /** Settles when nothing is in flight, including work added meanwhile. */
  drained(): Promise<void>
}

export function createInFlight(): InFlight {
  const works = new Set<Promise<unknown>>()

  async function below(max: number): Promise<void> {
    while (works.size >= max) await Promise.race(works)
  }

  return {
    get size() {
      return works.size
    },
    add(work) {
      // Attached before any other handler of `work`, so that they see it removed.
      const settled = work.then(end, end)
      function end(): void {
        works.delete(settled)
      }
      works.add(settled)
      return work
    },
    below,
    drained: () => below(1),
  }
}
