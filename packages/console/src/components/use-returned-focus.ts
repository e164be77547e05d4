import { useEffect, useState } from 'react'

/** The element that opened the latest dialog. */
let opener: HTMLElement | undefined

/** Focuses the element that opened a dialog once it closes. Mantine does so only for dialogs that stay mounted. */
export function useReturnedFocus(): void {
  const [from] = useState(() => (opener = openerOf(document.activeElement)))
  useEffect(
    () => () => {
      // The one that follows it keeps the focus.
      if (!document.querySelector('[role=dialog]')) from?.focus()
    },
    [from],
  )
}

/** The focused element; of a menu, its button; of a dialog that opens another, its own opener. */
function openerOf(focused: Element | null): HTMLElement | undefined {
  if (focused?.closest('[role=dialog]')) return opener
  const menu = focused?.closest('[role=menu]')
  const from = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused
  return from instanceof HTMLElement ? from : undefined
}
