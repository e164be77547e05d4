import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

const pauseMS = 200

/** A search field, debounced. The `/` shortcut focuses a view's first one. */
export function SearchField({
  label,
  value,
  onSearch,
}: {
  label: string
  value: string
  onSearch: (value: string) => void
}) {
  const t = useTexts(commonTexts)
  const [typed, setTyped] = useState(value)
  const view = useRef('')
  // A search must not navigate back if the operator has left the view since.
  const search = useDebouncedCallback((next: string) => {
    if (location.pathname === view.current) onSearch(next)
  }, pauseMS)
  // Follow other changes of the URL, such as the browser's back button.
  useEffect(() => setTyped(value), [value])
  const put = (next: string) => {
    setTyped(next)
    view.current = location.pathname
    search(next)
  }
  return (
    <TextInput
      type="search"
      className="search-field"
      aria-label={label}
      placeholder={label}
      value={typed}
      data-search-field=""
      leftSection={<Icon name="search" size={16} />}
      rightSection={typed !== '' && <CloseButton size="sm" aria-label={t.clear} onClick={() => put('')} />}
      onChange={(event) => put(event.currentTarget.value)}
    />
  )
}
