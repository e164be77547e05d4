import { Select } from '@mantine/core'

/** A filter with fixed values. No choice means all. */
export function ChoiceFilter<const Value extends string>({
  label,
  any,
  values,
  value,
  onChange,
}: {
  label: string
  /** Placeholder if none is chosen. */
  any: string
  /** The values with their labels. */
  values: Readonly<Record<Value, string>>
  value: Value | undefined
  onChange: (value: Value | undefined) => void
}) {
  const data = Object.entries<string>(values).map(([each, text]) => ({ value: each as Value, label: text }))
  return (
    <Select
      aria-label={label}
      placeholder={any}
      clearable
      w={150}
      data={data}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
    />
  )
}
