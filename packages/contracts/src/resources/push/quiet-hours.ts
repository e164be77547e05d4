// Without zod: the chat page contains this file.

/** DoNotDisturb of a user's settings. */
interface DoNotDisturb {
  timeZone: string
  times: readonly { days: readonly number[]; from: string; to: string }[]
}

interface LocalTime {
  /** 1 (Monday) to 7 (Sunday). */
  day: number
  /** Minutes since midnight on the local clock. */
  minute: number
}

/** A moment as shown by clocks in any time zone. */
export interface LocalTimes {
  atMS: number
  in(timeZone: string): LocalTime
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** Computes each time zone once, since members of a room share few. */
export function localTimes(atMS: number): LocalTimes {
  const known = new Map<string, LocalTime>()
  return {
    atMS,
    in(timeZone) {
      const found = known.get(timeZone) ?? localTimeIn(timeZone, atMS)
      known.set(timeZone, found)
      return found
    },
  }
}

function localTimeIn(timeZone: string, atMS: number): LocalTime {
  const format = { timeZone, hourCycle: 'h23', weekday: 'short', hour: '2-digit', minute: '2-digit' } as const
  const parts = new Intl.DateTimeFormat('en-US', format).formatToParts(atMS)
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? ''
  return { day: days.indexOf(part('weekday')) + 1, minute: Number(part('hour')) * 60 + Number(part('minute')) }
}

/** Whether the user wants no notification at this moment. A period that ends at or before its start ends on the next day. */
export function isQuiet({ timeZone, times }: DoNotDisturb, now: LocalTimes): boolean {
  const { day, minute } = now.in(timeZone)
  const yesterday = day === 1 ? 7 : day - 1
  return times.some((time) => {
    const [from, to] = [minutesOf(time.from), minutesOf(time.to)]
    if (from < to) return time.days.includes(day) && from <= minute && minute < to
    return (time.days.includes(day) && minute >= from) || (time.days.includes(yesterday) && minute < to)
  })
}
