export const minuteMS = 60_000

/** The Unix minute of a time: `lastMinute` of a room with its last message then, and a bucket's `minutes`. */
export function minuteOf(timeMS: number): number {
  return Math.floor(timeMS / minuteMS)
}
