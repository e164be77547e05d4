/** Handshakes in flight. Those over an age no longer count, which bounds the slots held by idle clients. */
export interface Handshakes {
  /** Takes a slot; false when none is free. */
  begin(): boolean
  /** A handshake is over, successful or not: frees a slot. All are alike, so it need not be identified. */
  ended(): void
}

/** Slots for handshakes: at most `most` begin within `withinMS`, plus one for each that ends. */
export function createHandshakes(
  { most, withinMS }: { most: number; withinMS: number },
  now: () => number = () => performance.now(),
): Handshakes {
  /** When each began, in milliseconds: the first is the oldest. */
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
