import { useCallback, useLayoutEffect, useState } from 'preact/hooks'
import { pushEntry, shownEntry } from '../app/page-history.ts'

export interface OpenThread {
  /** ID of the open thread's root message. */
  id: string | undefined
  open: (messageID: string) => void
  close: () => void
}

/** From this width on, a thread is shown beside the room. Keep in sync with room.css. */
const wide = '(min-width: 1080px)'

/** Tracks the open thread of a room. If it replaces the room, the browser's back button closes it. */
export function useOpenThread(roomID: string): OpenThread {
  const inEntry = () => {
    const { room, thread } = shownEntry()
    return room === roomID ? thread : undefined
  }
  const [id, setID] = useState(inEntry)
  // Subscribe before paint, since another navigation may follow at once.
  useLayoutEffect(() => {
    const onBack = () => setID(inEntry())
    window.addEventListener('popstate', onBack)
    return () => window.removeEventListener('popstate', onBack)
  }, [])
  const open = useCallback((messageID: string) => {
    if (!matchMedia(wide).matches && inEntry() !== messageID) pushEntry({ room: roomID, thread: messageID })
    setID(messageID)
  }, [])
  const close = useCallback(() => {
    if (inEntry() === undefined) setID(undefined)
    else history.back()
  }, [])
  return { id, open, close }
}
