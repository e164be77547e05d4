/** Moves the focus between messages' menu buttons with the arrow keys. */
export function moveFocus(event: KeyboardEvent): void {
  const isUp = event.key === 'ArrowUp'
  if (!isUp && event.key !== 'ArrowDown') return
  const log = event.currentTarget as HTMLElement
  const menus = [...log.querySelectorAll<HTMLElement>('[data-menu]')]
  const at = menus.indexOf(document.activeElement as HTMLElement)
  const next = at === -1 ? menus.at(-1) : menus[at + (isUp ? -1 : 1)]
  if (!next) return
  event.preventDefault()
  next.focus()
}
