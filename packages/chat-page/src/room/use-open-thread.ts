import { useCallback, useLayoutEffect, useState } from 'preact/hooks'
import { pushEntry, shownEntry } from '../app/page-history.ts'

export interface OpenThread {
  /** ID of the message that it is about. */
  id: string | undefined
  open: (messageID: string) => void
  close: () => void
}

/** As in the styles: from here on a thread stands beside the room. */
const wide = '(min-width: 1080px)'

/** Which thread of a room is open. Where it takes the place of the room, the browser's back button closes it. */
export function useOpenThread(roomID: string): OpenThread {
  const inEntry = () => {
    const { room, thread } = shownEntry()
    return room === roomID ? thread : undefined
  }
  const [id, setID] = useState(inEntry)
  // From the first moment on: a second step may follow at once.
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
