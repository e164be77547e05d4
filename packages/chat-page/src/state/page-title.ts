import type { Client } from '@parley/client'

/** The number of unread messages in the title and the icon of the tab. Returns a function that sets the page's name. */
export function showUnreadInTab(client: Client, initialName: string): (name: string) => void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const read = icon?.getAttribute('href') ?? ''
  let name = initialName
  let badge = 0
  const show = () => {
    document.title = badge > 0 ? `(${badge > 99 ? '99+' : badge}) ${name}` : name
    const wanted = badge > 0 ? '/chat/icon-unread.svg' : read
    if (icon && icon.getAttribute('href') !== wanted) icon.setAttribute('href', wanted)
  }
  client.badge.subscribe((now) => {
    badge = now
    show()
  })
  return (next) => {
    name = next
    show()
  }
}
