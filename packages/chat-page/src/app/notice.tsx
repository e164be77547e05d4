import { useLayoutEffect, useRef } from 'preact/hooks'
import { useChat, useStore } from '../state/chat.ts'

/** Shows a short-lived notice, in the page or in its topmost dialog. */
export function Notice() {
  const { notices } = useChat()
  const sentence = useStore(notices.current)
  const own = useRef({})
  const isLatest = useStore(notices.place) === own.current
  useLayoutEffect(() => notices.takePlace(own.current), [])
  return (
    <div class="notice" role="status">
      {isLatest && sentence !== undefined && <p>{sentence}</p>}
    </div>
  )
}
