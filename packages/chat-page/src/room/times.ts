import type { Language } from '../texts/language.ts'

const dayMS = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

function format(lang: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = lang + JSON.stringify(options)
  const known = formats.get(key) ?? new Intl.DateTimeFormat(lang === 'zh' ? 'zh-CN' : 'en', options)
  formats.set(key, known)
  return known
}

export const clockTime = (ms: number, lang: Language): string =>
  format(lang, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(ms)

export const fullTime = (ms: number, lang: Language): string =>
  format(lang, { dateStyle: 'full', timeStyle: 'short' }).format(ms)

/** Today, Yesterday, or the date. */
export function dayName(ms: number, lang: Language, now = Date.now()): string {
  const ago = daysBetween(ms, now)
  if (ago === 0 || ago === 1) {
    const name = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(-ago, 'day')
    return name.charAt(0).toUpperCase() + name.slice(1)
  }
  const isThisYear = new Date(ms).getFullYear() === new Date(now).getFullYear()
  return format(lang, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  }).format(ms)
}

/** For a list of rooms: the time today, the weekday this week, else the date. */
export function shortTime(ms: number, lang: Language, now = Date.now()): string {
  const ago = daysBetween(ms, now)
  if (ago === 0) return clockTime(ms, lang)
  if (ago < 7) return format(lang, { weekday: 'short' }).format(ms)
  return format(lang, { day: 'numeric', month: 'numeric', year: '2-digit' }).format(ms)
}

function daysBetween(ms: number, now: number): number {
  const midnight = (time: number) => new Date(time).setHours(0, 0, 0, 0)
  return Math.round((midnight(now) - midnight(ms)) / dayMS)
}
