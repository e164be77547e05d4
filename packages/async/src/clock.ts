/** How far MongoDB's clock is ahead of this process's. */
let offsetMS = 0

/**
 * The time by MongoDB's clock. Use it for every time that another process may compare with its own: leases, pauses, ends of
 * tokens and bans, times of messages. The clock of one machine then decides nothing for others.
 */
export const clock = {
  /** Unix milliseconds. */
  now: (): number => Date.now() + offsetMS,

  date: (): Date => new Date(clock.now()),

  /** How far this process's clock is ahead of MongoDB's; negative when it is behind. */
  aheadMS: (): number => -offsetMS,

  /**
   * Corrects the clock by a time that MongoDB read between a request and its response, `roundTripMS` apart. An offset that
   * the reading allows stays: the round trip bounds its precision.
   */
  correct({ askedMS, roundTripMS, readMS }: { askedMS: number; roundTripMS: number; readMS: number }): void {
    const [least, most] = [readMS - askedMS - roundTripMS, readMS - askedMS + 1]
    if (offsetMS < least || offsetMS > most) offsetMS = Math.floor((least + most) / 2)
  },
}
