/** Longer than the stream recognises a repeat (its duplicate window). */
const rememberMS = 150_000
const mostPerGeneration = 50_000

/** Recent event IDs. Two publishers of the same note publish it twice, the second time perhaps after newer events. */
export interface Recent<T> {
  get(id: string): T | undefined
  set(id: string, value: T): void
  delete(id: string): void
}

/** Remembers each ID for at least two and a half minutes, or until 50,000 newer ones have come. */
export function createRecent<T>(): Recent<T> {
  let current = new Map<string, T>()
  let before = new Map<string, T>()
  let sinceMS = performance.now()
  return {
    get: (id) => current.get(id) ?? before.get(id),
    set(id, value) {
      if (current.size >= mostPerGeneration || performance.now() > sinceMS + rememberMS) {
        before = current
        current = new Map()
        sinceMS = performance.now()
      }
      current.set(id, value)
    },
    delete(id) {
      current.delete(id)
      before.delete(id)
    },
  }
}
