import { useDebouncedCallback } from '@mantine/hooks'
import { useRef, useState } from 'react'

const pauseMS = 200

/** The text of a field: as typed, until its value changes otherwise, such as by the browser's back button. */
export function useTyped<Value extends string | undefined>(value: Value) {
  const [{ typed, from }, setState] = useState({ typed: value, from: value })
  if (from !== value) setState({ typed: value, from: value })
  return [from === value ? typed : value, (next: Value) => setState({ typed: next, from: value })] as const
}

/** The text of a field that is kept in the URL, and a function for what is typed, which changes the URL after a pause. */
export function useUrlText(value: string, onChange: (text: string) => void) {
  const [typed, setTyped] = useTyped(value)
  const view = useRef('')
  // Must not navigate back if the operator has left the view since.
  const change = useDebouncedCallback((next: string) => {
    if (location.pathname === view.current) onChange(next)
  }, pauseMS)
  const put = (next: string) => {
    setTyped(next)
    view.current = location.pathname
    change(next)
  }
  return [typed, put] as const
}
