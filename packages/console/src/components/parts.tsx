import { SegmentedControl } from '@mantine/core'

/** Switches between the parts of a view. */
export function Parts<const Part extends string>({
  label,
  parts,
  value,
  onChange,
}: {
  label: string
  /** The parts with their labels. */
  parts: readonly (readonly [Part, string])[]
  value: Part
  onChange: (part: Part) => void
}) {
  return (
    <SegmentedControl<Part>
      size="xs"
      aria-label={label}
      value={value}
      data={parts.map(([part, text]) => ({ value: part, label: text }))}
      onChange={onChange}
    />
  )
}
