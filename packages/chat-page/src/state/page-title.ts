import type { Client, RoomInfo } from '@parley/client'

/** The number of unread messages in listed rooms. */
export const unreadShown = (rooms: readonly RoomInfo[]): number =>
  rooms.reduce((sum, { unread, pref }) => (pref?.hidden ? sum : sum + unread), 0)

/** Shows the unread count in the tab's title and icon. Returns a function that sets the page's name. */
export function showUnreadInTab(client: Client, initialName: string): (name: string) => void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const read = icon?.getAttribute('href') ?? ''
  let name = initialName
  let badge = 0
  const show = () => {
    document.title = badge > 0 ? `(${badge > 99 ? '99+' : badge}) ${name}` : name
    const wanted = badge > 0 ? read.replace('icon.svg', 'icon-unread.svg') : read
    if (icon && icon.getAttribute('href') !== wanted) icon.setAttribute('href', wanted)
  }
  client.rooms.subscribe((rooms) => {
    badge = unreadShown(rooms)
    show()
  })
  return (next) => {
    name = next
    show()
  }
}
