/** Limits handshakes in flight: at most `max` within `withinMS`, plus one for each that ends. Idle ones expire. */
export function createHandshakes(
  { max, withinMS }: { max: number; withinMS: number },
  now: () => number = () => performance.now(),
) {
  /** Start times in milliseconds, oldest first. */
  const begun: number[] = []

  return {
    /** Takes a slot; false if none is free. */
    begin() {
      const nowMS = now()
      while (begun[0] !== undefined && begun[0] <= nowMS - withinMS) begun.shift()
      if (begun.length >= max) return false
      begun.push(nowMS)
      return true
    },
    /** Frees a slot when a handshake is over, successful or not. Slots are interchangeable. */
    ended() {
      begun.shift()
    },
  }
}
export type Handshakes = ReturnType<typeof createHandshakes>
