import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'

const pauseMS = 300

/** A field of a filter: what is typed goes into the address once the typing pauses; empty is no filter. */
export function TextFilter({
  label,
  value = '',
  onChange,
  isFirst = false,
}: {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
  /** `/` goes to it. */
  isFirst?: boolean
}) {
  const [typed, setTyped] = useState(value)
  const change = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), pauseMS)
  // The address has changed by other means, such as the browser's Back.
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

/** A moment as a filter: in the reader's time zone here, in milliseconds in the address. */
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

/** As `datetime-local` wants it. */
function localTime(atMS: number): string {
  const date = new Date(atMS)
  const local = new Date(atMS - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}
