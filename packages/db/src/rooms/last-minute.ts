export const minuteMS = 60_000

/** `lastMinute` of a room with this last message. */
export function minuteOf(timeMS: number): number {
  return Math.floor(timeMS / minuteMS)
}
