export const minuteMS = 60_000

/** `lastMinute` of a room whose last message was sent at this time. */
export function minuteOf(timeMS: number): number {
  return Math.floor(timeMS / minuteMS)
}
