import { clock } from '@parley/async/clock'
/** NATS's clock, which dates the stream's messages and the clients' `since`. */
export interface StreamClock {
  /** Unix milliseconds; this process's own clock until NATS was asked. */
  nowMS(): number
  /**
   * Sets the clock from a reply of NATS.
   * @param streamMS the time in the reply
   * @param askedMS this process's time before the request
   */
  set(streamMS: number, askedMS: number): void
}

export function createStreamClock(ownMS: () => number = clock.now): StreamClock {
  let aheadMS = 0
  return {
    nowMS: () => Math.floor(ownMS() + aheadMS),
    set(streamMS, askedMS) {
      // NATS read its clock between the request and the reply: a slow reply must not set the clock back.
      const [least, most] = [streamMS - ownMS(), streamMS - askedMS]
      aheadMS = Math.min(Math.max(0, least), most)
    },
  }
}
