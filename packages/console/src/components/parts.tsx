import { SegmentedControl } from '@mantine/core'
import { useEffect, useRef } from 'react'

/** Switches between the parts of a view. Scrolls by itself where it is wider than the view. */
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
  const control = useRef<HTMLDivElement>(null)
  useEffect(() => {
    control.current?.querySelector('label[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [value])
  return (
    <div className="parts">
      <SegmentedControl<Part>
        ref={control}
        size="xs"
        aria-label={label}
        value={value}
        data={parts.map(([part, text]) => ({ value: part, label: text }))}
        onChange={onChange}
      />
    </div>
  )
}
