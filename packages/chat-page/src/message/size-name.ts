const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

export function sizeName(bytes: number, lang: string): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const unit = units[step] ?? 'byte'
  // The short form of bytes has no plural ("193 byte").
  const unitDisplay = step === 0 ? 'long' : 'short'
  const maximumFractionDigits = step > 1 ? 1 : 0
  return new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay, maximumFractionDigits }).format(
    bytes / 1000 ** step,
  )
}
