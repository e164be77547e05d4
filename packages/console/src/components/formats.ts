import type { Language } from '../texts/texts.ts'

const forms = {
  /** A time in a table. */
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  toTheSecond: { dateStyle: 'medium', timeStyle: 'medium' },
  clock: { timeStyle: 'short' },
  toTheMillisecond: {
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
    fractionalSecondDigits: 3,
  },
  day: { dateStyle: 'full' },
  shortDay: { month: 'short', day: 'numeric' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

// Cached, since creating a format takes longer than rendering a table row.
const dates = new Map<string, Intl.DateTimeFormat>()
const numbers = new Map<Language, Intl.NumberFormat>()

export function formatTime(language: Language, form: keyof typeof forms, at: Date | number): string {
  const key = `${language} ${form}`
  const format = dates.get(key) ?? new Intl.DateTimeFormat(language, forms[form])
  dates.set(key, format)
  return format.format(at)
}

export function formatNumber(language: Language, value: number): string {
  const format = numbers.get(language) ?? new Intl.NumberFormat(language)
  numbers.set(language, format)
  return format.format(value)
}
