import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

const pauseMS = 200

/** A field that searches as one types, once the typing pauses. `/` goes to the first one of a view. */
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
  // A link may have been followed since: the search must not lead back.
  const search = useDebouncedCallback((next: string) => {
    if (location.pathname === view.current) onSearch(next)
  }, pauseMS)
  // The address has changed by other means, such as the browser's Back.
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
