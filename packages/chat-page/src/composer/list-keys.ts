interface OpenList<T> {
  found: readonly T[]
  active: number
  setActive: (index: number) => void
  choose: (item: T) => void
  close: () => void
}

/** Handles the keys of a list below a text field. Returns whether it handled the key. */
export function handleListKey<T>(
  event: KeyboardEvent,
  { found, active, setActive, choose, close }: OpenList<T>,
): boolean {
  const { key } = event
  const item = found[active]
  if (item === undefined) return false
  if (key === 'Enter' || key === 'Tab') choose(item)
  else if (key === 'Escape') close()
  else if (key === 'ArrowDown') setActive((active + 1) % found.length)
  else if (key === 'ArrowUp') setActive((active + found.length - 1) % found.length)
  else return false
  event.preventDefault()
  return true
}
