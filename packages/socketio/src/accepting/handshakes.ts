/** Limits handshakes in flight. Old ones no longer count, so idle clients cannot hold slots. */
export interface Handshakes {
  /** Takes a slot; false if none is free. */
  begin(): boolean
  /** Frees a slot when a handshake is over, successful or not. Slots are interchangeable. */
  ended(): void
}

/** Slots for handshakes: at most `most` begin within `withinMS`, plus one for each that ends. */
export function createHandshakes(
  { most, withinMS }: { most: number; withinMS: number },
  now: () => number = () => performance.now(),
): Handshakes {
  /** Start times in milliseconds, oldest first. */
  const begun: number[] = []

  return {
    begin() {
      const nowMS = now()
      while (begun[0] !== undefined && begun[0] <= nowMS - withinMS) begun.shift()
      if (begun.length >= most) return false
      begun.push(nowMS)
      return true
    },
    ended() {
      begun.shift()
    },
  }
}
