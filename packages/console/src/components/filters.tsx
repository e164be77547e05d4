import { TextInput } from '@mantine/core'
import { textProps } from './field-props.ts'
import { useUrlText } from './use-url-text.ts'

/** A text filter, debounced, kept in the URL. Empty means no filter. */
export function TextFilter({
  label,
  value = '',
  onChange,
  isFirst = false,
}: {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
  /** Whether the `/` shortcut focuses it. */
  isFirst?: boolean
}) {
  const [typed, put] = useUrlText(value, (next) => onChange(next.trim() || undefined))
  return (
    <TextInput
      label={label}
      size="sm"
      className="filter"
      autoComplete="off"
      {...(isFirst && { 'data-search-field': true })}
      {...textProps(typed, put)}
    />
  )
}

/** A time filter, shown in the operator's time zone and kept in the URL in milliseconds. */
export function TimeFilter({
  label,
  value,
  onChange,
}: {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const shown = value !== undefined && /^\d{1,15}$/.test(value) ? localTime(Number(value)) : ''
  const [typed, put] = useUrlText(shown, (next) => {
    const atMS = new Date(next).getTime()
    // While a year is typed, it is a year such as 20.
    if (next === '' || atMS >= 0) onChange(next === '' ? undefined : String(atMS))
  })
  return (
    <TextInput type="datetime-local" step={1} label={label} size="sm" className="filter" {...textProps(typed, put)} />
  )
}

/** Formats a time for a `datetime-local` input. */
function localTime(atMS: number): string {
  const date = new Date(atMS)
  const local = new Date(atMS - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}
