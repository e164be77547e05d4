import { CloseButton, TextInput } from '@mantine/core'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { textProps } from './field-props.ts'
import { Icon } from './icon.tsx'
import { useUrlText } from './use-url-text.ts'

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
  const [typed, put] = useUrlText(value, onSearch)
  return (
    <TextInput
      type="search"
      className="search-field"
      aria-label={label}
      placeholder={label}
      data-search-field=""
      leftSection={<Icon name="search" size={16} />}
      rightSection={typed !== '' && <CloseButton size="sm" aria-label={t.clear} onClick={() => put('')} />}
      {...textProps(typed, put)}
    />
  )
}
