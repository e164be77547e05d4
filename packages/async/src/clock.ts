export const dayMS = 24 * 60 * 60 * 1_000

/** How far MongoDB's clock is ahead of this process's. */
let offsetMS = 0

/**
 * The time by MongoDB's clock. Use it for every time that another process may compare with its own, such as leases,
 * pauses, expiry of tokens and bans, and message times. One machine's wrong clock then does not affect others.
 */
export const clock = {
  now: (): number => Date.now() + offsetMS,

  date: (): Date => new Date(clock.now()),

  /** How far this process's clock is ahead of MongoDB's; negative when it is behind. */
  aheadMS: (): number => -offsetMS,

  /**
   * Corrects the clock by a time that MongoDB read between a request and its response, `roundTripMS` apart. Keeps an
   * offset within the reading's bounds, since the round trip limits its precision.
   */
  correct({ askedMS, roundTripMS, readMS }: { askedMS: number; roundTripMS: number; readMS: number }): void {
    const [least, max] = [readMS - askedMS - roundTripMS, readMS - askedMS + 1]
    if (offsetMS < least || offsetMS > max) offsetMS = Math.floor((least + max) / 2)
  },
}
