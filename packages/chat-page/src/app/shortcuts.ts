import type { Client } from '@parley/client'
import { useEffect } from 'preact/hooks'
import type { OpenRoom } from './open-room.ts'

/** Whether shortcuts use ⌘ instead of Ctrl. */
export const isMac = (): boolean => /mac|iphone|ipad/i.test(navigator.platform)

interface ShortcutParts {
  client: Client
  openRoom: OpenRoom
  onHelp: () => void
}

/** Shortcuts that work anywhere in the page, as listed in ShortcutsSheet. None is a single character. */
export function useShortcuts({ client, openRoom, onHelp }: ShortcutParts): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return
      if (act(event)) event.preventDefault()
    }
    const act = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean => {
      const isCommand = (isMac() ? metaKey : ctrlKey) && !altKey
      if (isCommand && key === '/') onHelp()
      else if (isCommand && key.toLowerCase() === 'k') return searchRooms()
      else if (altKey && key === 'ArrowUp') step(-1)
      else if (altKey && key === 'ArrowDown') step(1)
      else return false
      return true
    }
    const step = (by: 1 | -1) => {
      const rooms = client.rooms.get().filter(({ pref }) => !pref?.hidden)
      const at = rooms.findIndex(({ _id }) => _id === openRoom.current.get())
      const next = rooms[at + by]
      if (next) openRoom.open(next._id)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Focuses the room search, if it is visible. */
function searchRooms(): boolean {
  const field = document.querySelector<HTMLInputElement>('.search input')
  if (!field?.checkVisibility()) return false
  field.focus()
  field.select()
  return true
}
