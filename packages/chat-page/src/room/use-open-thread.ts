import { useCallback, useEffect, useState } from 'preact/hooks'
import { isEmbedded } from '../app/open-room.ts'

export interface OpenThread {
  /** ID of the message that it is about. */
  id: string | undefined
  open: (messageID: string) => void
  close: () => void
}

/** As in the styles: from here on a thread stands beside the room. */
const wide = '(min-width: 1080px)'

const openIn = (state: unknown): string | undefined => (state as { thread?: string } | null)?.thread

/** Which thread is open. Where it takes the place of the room, the browser's back button closes it. */
export function useOpenThread(): OpenThread {
  const [id, setID] = useState<string>()
  useEffect(() => {
    const onBack = () => setID(openIn(history.state))
    window.addEventListener('popstate', onBack)
    return () => window.removeEventListener('popstate', onBack)
  }, [])
  const open = useCallback((messageID: string) => {
    if (!isEmbedded() && !matchMedia(wide).matches) {
      history.pushState({ ...(history.state as object | null), thread: messageID }, '')
    }
    setID(messageID)
  }, [])
  const close = useCallback(() => {
    if (openIn(history.state) === undefined) setID(undefined)
    else history.back()
  }, [])
  return { id, open, close }
}
