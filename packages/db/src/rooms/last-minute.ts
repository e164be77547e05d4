export const minuteMS = 60_000

/** `lastMinute` of a room with its last message at this time. */
export function minuteOf(timeMS: number): number {
  return Math.floor(timeMS / minuteMS)
}
