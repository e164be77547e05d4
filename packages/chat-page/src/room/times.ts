const dayMS = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

function format(lang: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = lang + JSON.stringify(options)
  const known = formats.get(key) ?? new Intl.DateTimeFormat(lang, options)
  formats.set(key, known)
  return known
}

/** Uses the locale's hour cycle: 21:05 or 9:05 PM. */
export const clockTime = (ms: number, lang: string): string => format(lang, { timeStyle: 'short' }).format(ms)

export const fullTime = (ms: number, lang: string): string =>
  format(lang, { dateStyle: 'full', timeStyle: 'short' }).format(ms)

/** Today, Yesterday, or the date. @param today any time of the current day */
export function dayName(ms: number, lang: string, today: number): string {
  const ago = daysBetween(ms, today)
  if (ago === 0 || ago === 1) {
    const name = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(-ago, 'day')
    return name.charAt(0).toUpperCase() + name.slice(1)
  }
  const isThisYear = new Date(ms).getFullYear() === new Date(today).getFullYear()
  return format(lang, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  }).format(ms)
}

/** For lists: the time for today, the weekday for the last week, otherwise the date. */
export function shortTime(ms: number, lang: string, today: number): string {
  const ago = daysBetween(ms, today)
  if (ago === 0) return clockTime(ms, lang)
  if (ago < 7) return format(lang, { weekday: 'short' }).format(ms)
  return format(lang, { day: 'numeric', month: 'numeric', year: '2-digit' }).format(ms)
}

function daysBetween(ms: number, now: number): number {
  const midnight = (time: number) => new Date(time).setHours(0, 0, 0, 0)
  return Math.round((midnight(now) - midnight(ms)) / dayMS)
}
