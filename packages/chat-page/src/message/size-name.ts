import type { Language } from '../texts/language.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A number of bytes as people read it, such as 48 kB. */
export function sizeName(bytes: number, lang: Language): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const unit = units[step] ?? 'byte'
  return new Intl.NumberFormat(lang, { style: 'unit', unit, maximumFractionDigits: step > 1 ? 1 : 0 }).format(
    bytes / 1000 ** step,
  )
}
