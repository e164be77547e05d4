import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'

const pauseMS = 300

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
  const [typed, setTyped] = useState(value)
  const change = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), pauseMS)
  // Follow other changes of the URL, such as the browser's back button.
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      label={label}
      size="sm"
      className="filter"
      value={typed}
      autoComplete="off"
      {...(isFirst && { 'data-search-field': true })}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        change(event.currentTarget.value)
      }}
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
  const shown = value === undefined || !/^\d+$/.test(value) ? '' : localTime(Number(value))
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      size="sm"
      className="filter"
      value={shown}
      onChange={(event) => {
        const atMS = new Date(event.currentTarget.value).getTime()
        onChange(Number.isNaN(atMS) ? undefined : String(atMS))
      }}
    />
  )
}

/** Formats a time for a `datetime-local` input. */
function localTime(atMS: number): string {
  const date = new Date(atMS)
  const local = new Date(atMS - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}
